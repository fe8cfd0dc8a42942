#include "actors/policy/realm_admission.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

constexpr realm_admission::bounds small{1'000, 2'000, 0.05};
constexpr auto progress = realm_class::progress;
constexpr auto completion = realm_class::completion;
constexpr auto lossy = realm_class::lossy;
const realm_id a{"a"};
const realm_id b{"b"};
const realm_id c{"c"};

std::optional<realm_admission::refusal> admit(realm_admission& door,
                                              const realm_id& realm,
                                              realm_class of, uint64_t bytes,
                                              milliseconds now = 0s) {
  return door.admit(realm, of, bytes, at(now), {});
}

} // namespace

TEST_CASE("realm admission: q19 a realm over its bound is told so, and nothing "
          "has changed") {
  realm_admission door{small};
  CHECK(!admit(door, a, progress, 950));
  const auto refused = admit(door, a, progress, 1);
  REQUIRE(refused);
  CHECK(refused->by_realm);
  CHECK(door.used() == 950);
  CHECK(door.used(a) == 950);
  CHECK(!admit(door, b, progress, 950)); // Another has its own.
}

TEST_CASE("realm admission: q19 over the bound of all everybody is told so") {
  realm_admission door{small};
  CHECK(!admit(door, a, progress, 900));
  CHECK(!admit(door, b, progress, 900));
  CHECK(!admit(door, c, progress, 100));
  const auto refused = admit(door, c, progress, 1);
  REQUIRE(refused);
  CHECK(!refused->by_realm);
}

TEST_CASE("realm admission: d5 the last twentieth is for completions") {
  realm_admission door{small};
  CHECK(!admit(door, a, progress, 950));
  CHECK(admit(door, a, progress, 50));
  CHECK(admit(door, a, lossy, 50));
  CHECK(!admit(door, a, completion, 50));
  CHECK(admit(door, a, completion, 1));
  CHECK(!admit(door, b, progress, 900));
  CHECK(admit(door, c, progress, 100));
  CHECK(!admit(door, c, completion, 100));
  CHECK(admit(door, c, completion, 1));
}

TEST_CASE("realm admission: what is larger than a bound passes alone") {
  realm_admission door{small};
  CHECK(!admit(door, a, progress, 5'000));
  CHECK(admit(door, a, progress, 1));
  CHECK(admit(door, b, completion, 1));
}

TEST_CASE("realm admission: retry-after follows from the speed at which events "
          "leave") {
  realm_admission door{{100'000, 1'000'000, 0}};
  CHECK(!admit(door, a, completion, 100'000));
  // A thousand bytes a second leave, and as much comes in.
  for (int second = 1; second <= 20; ++second) {
    door.left(a, completion, 1'000, at(second * 1s));
    CHECK(!admit(door, a, completion, 1'000, second * 1s));
  }
  const auto refused = admit(door, a, completion, 10'000, 20s);
  REQUIRE(refused);
  CHECK(refused->retry_after >= 9s);
  CHECK(refused->retry_after <= 11s);
  // Who comes back then has its place.
  for (int second = 21; second <= 31; ++second)
    door.left(a, completion, 1'000, at(second * 1s));
  CHECK(!admit(door, a, completion, 10'000, 31s));
}

TEST_CASE("realm admission: retry-after is whole seconds, at least one, and no "
          "more than fifteen minutes") {
  realm_admission door{{1'000'000, 1'000'000, 0}};
  CHECK(!admit(door, a, completion, 1'000'000));
  door.left(a, completion, 100'000, at(0s));
  const auto soon = admit(door, a, completion, 100'001, 1s);
  REQUIRE(soon);
  CHECK(soon->retry_after == 1s);
  const auto late = admit(door, a, completion, 1'000'000, 29s);
  REQUIRE(late);
  CHECK(late->retry_after % 1s == 0s);
  CHECK(late->retry_after > 200s);
  realm_admission slow{{1'000'000, 1'000'000, 0}};
  CHECK(!admit(slow, a, completion, 1'000'000));
  slow.left(a, completion, 1, at(0s));
  CHECK(admit(slow, a, completion, 1'000'000, 20s)->retry_after == 15min);
}

TEST_CASE("realm admission: retry-after of a queue that stands still is a "
          "minute, and no less than the pause") {
  realm_admission door{small};
  CHECK(!admit(door, a, completion, 1'000));
  CHECK(admit(door, a, completion, 1)->retry_after == 60s);
  CHECK(door.admit(a, completion, 1, at(0s), at(90s))->retry_after == 150s);
  CHECK(door.admit(a, completion, 1, at(0s), at(2h))->retry_after == 15min);
  door.left(a, completion, 10, at(0s));
  CHECK(admit(door, a, completion, 11, 10s)->retry_after == 1s);
  CHECK(admit(door, a, completion, 11, 40s)->retry_after == 4s);
  CHECK(admit(door, a, completion, 11, 60s)->retry_after == 60s);
}

TEST_CASE("realm admission: merged bytes are counted anew") {
  realm_admission door{small};
  CHECK(!admit(door, a, progress, 900));
  CHECK(!admit(door, a, progress, 50));
  door.take_back(a, progress, 50); // It merged …
  door.resized(a, progress, 900, 940);
  CHECK(door.used(a) == 940);
  CHECK(!admit(door, a, progress, 10));
  door.resized(a, progress, 940, 100); // … or took the place of a larger one.
  CHECK(door.used() == 110);
}

TEST_CASE("realm admission: d5 only what is lossy is dropped, of the realm "
          "itself") {
  realm_admission door{small};
  CHECK(!admit(door, a, lossy, 500));
  CHECK(!admit(door, a, progress, 450));
  const auto refused = admit(door, a, progress, 100);
  REQUIRE(refused);
  CHECK(refused->drop_from == a);
  CHECK(!admit(door, a, lossy, 100)->drop_from); // Not to make room for such.
  door.left(a, lossy, 500, at(0s));
  CHECK(!admit(door, a, progress, 100));
  CHECK(!admit(door, a, progress, 900)->drop_from);
}

TEST_CASE("realm admission: e14 for the bound of all the realm with the most "
          "lossy bytes pays") {
  realm_admission door{small};
  for (int i = 0; i < 90; ++i)
    CHECK(!admit(door, a, lossy, 10)); // Many and small.
  CHECK(!admit(door, b, lossy, 950));  // One and large.
  const auto refused = admit(door, c, progress, 100);
  REQUIRE(refused);
  CHECK(!refused->by_realm);
  CHECK(refused->drop_from == b);
  CHECK(!admit(door, c, lossy, 100)->drop_from);
}

TEST_CASE("realm admission: what is queued at the start counts") {
  realm_admission door{small};
  door.load(a, progress, 950);
  CHECK(admit(door, a, progress, 1));
  CHECK(door.used() == 950);
}

TEST_CASE("realm admission: a lower bound refuses until enough has left") {
  realm_admission door{small};
  CHECK(!admit(door, a, completion, 900));
  door.use_bounds({500, 2'000, 0});
  CHECK(admit(door, a, completion, 1));
  door.left(a, completion, 401, at(0s));
  CHECK(!admit(door, a, completion, 1));
}

TEST_CASE("realm admission: a realm with nothing queued is not known") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random{seed};
    realm_admission door{small};
    std::map<std::pair<std::string, realm_class>, uint64_t> queued;
    for (int step = 0; step < 500; ++step) {
      const realm_id realm{std::to_string(random() % 5)};
      const auto of = static_cast<realm_class>(random() % 3);
      const auto bytes = 1 + random() % 200;
      auto& its = queued[{realm.value, of}];
      if (random() % 2 == 0) {
        if (!admit(door, realm, of, bytes, milliseconds{step}))
          its += bytes;
      } else if (its > 0) {
        const auto gone = std::min<uint64_t>(its, bytes);
        door.left(realm, of, gone, at(milliseconds{step}));
        its -= gone;
      }
      uint64_t sum = 0;
      for (const auto& each : queued)
        sum += each.second;
      CHECK(door.used() == sum);
      CHECK(sum <= 2'000);
    }
    for (const auto& [of, bytes] : queued)
      if (bytes > 0)
        door.left({of.first}, of.second, bytes, at(1h));
    CHECK(door.known() == 0);
    CHECK(door.used() == 0);
  }
}

TEST_CASE(
  "bulk order: behind a line that was refused its realm is held, and no "
  "other") {
  bulk_order order;
  CHECK(!order.is_held(a));
  order.refused(a);
  CHECK(order.is_held(a));
  CHECK(!order.is_held(b));
}
