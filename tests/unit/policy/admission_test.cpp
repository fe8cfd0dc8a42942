#include "actors/policy/admission.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

using tickets = std::vector<uint64_t>;

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

constexpr auto later = at(45s);

} // namespace

TEST_CASE("admission: the budget may be filled and no more") {
  admission door{100};
  CHECK(door.try_reserve(60));
  CHECK(!door.try_reserve(41));
  CHECK(door.try_reserve(40));
  CHECK(door.used() == 100);
  CHECK(!door.try_reserve(1));
  door.release(60);
  CHECK(door.used() == 40);
  CHECK(door.try_reserve(60));
}

TEST_CASE("admission: no bytes need no room") {
  admission door{0};
  CHECK(door.try_reserve(0));
  CHECK(door.try_reserve(50));
  CHECK(door.try_reserve(0));
  CHECK(door.used() == 50);
}

TEST_CASE("admission: more than the budget goes in alone") {
  admission door{100};
  CHECK(door.try_reserve(1));
  CHECK(!door.try_reserve(500));
  door.release(1);
  CHECK(door.try_reserve(500));
  CHECK(door.used() == 500);
  CHECK(!door.try_reserve(1));
  CHECK(!door.try_reserve(500));
  door.release(500);
  CHECK(door.used() == 0);
}

TEST_CASE("admission: the largest number does not overflow into room") {
  admission door{100};
  CHECK(door.try_reserve(10));
  CHECK(!door.try_reserve(std::numeric_limits<uint64_t>::max()));
  CHECK(door.used() == 10);
}

TEST_CASE("admission: the line is admitted in order, as far as it fits") {
  admission door{100};
  REQUIRE(door.try_reserve(100));
  const auto first = door.wait(40, later);
  const auto second = door.wait(50, later);
  const auto third = door.wait(20, later);
  CHECK(door.admit().empty());
  door.release(100);
  CHECK(door.admit() == tickets{first, second});
  CHECK(door.used() == 90);
  CHECK(door.waiting() == 1);
  CHECK(door.admit().empty());
  door.release(40);
  CHECK(door.admit() == tickets{third});
  CHECK(door.used() == 70);
}

TEST_CASE("admission: a small one does not overtake a large one in line") {
  admission door{100};
  REQUIRE(door.try_reserve(60));
  const auto large = door.wait(80, later);
  const auto small = door.wait(10, later);
  CHECK(door.admit().empty());
  CHECK(!door.try_reserve(10));
  door.release(60);
  CHECK(door.admit() == tickets{large, small});
}

TEST_CASE("admission: one larger than the budget waits until all are out") {
  admission door{100};
  REQUIRE(door.try_reserve(30));
  REQUIRE(door.try_reserve(30));
  const auto huge = door.wait(500, later);
  const auto next = door.wait(10, later);
  door.release(30);
  CHECK(door.admit().empty());
  door.release(30);
  CHECK(door.admit() == tickets{huge});
  CHECK(door.used() == 500);
  door.release(500);
  CHECK(door.admit() == tickets{next});
}

TEST_CASE("admission: whoever waited too long is told and holds nothing") {
  admission door{100};
  REQUIRE(door.try_reserve(100));
  const auto patient = door.wait(10, at(20s));
  const auto hasty = door.wait(20, at(5s));
  const auto other = door.wait(30, at(5s));
  CHECK(door.expire(at(4'999ms)).empty());
  CHECK(door.expire(at(5s)) == tickets{hasty, other});
  CHECK(door.expire(at(5s)).empty());
  CHECK(door.used() == 100);
  door.release(100);
  CHECK(door.admit() == tickets{patient});
  CHECK(door.used() == 10);
}

TEST_CASE("admission: when the first in line leaves the next may fit") {
  admission door{100};
  REQUIRE(door.try_reserve(50));
  const auto large = door.wait(80, later);
  const auto small = door.wait(10, later);
  CHECK(door.admit().empty());
  door.forget(large);
  CHECK(door.admit() == tickets{small});
  CHECK(door.used() == 60);
}

TEST_CASE("admission: an admitted ticket cannot be forgotten") {
  admission door{100};
  const auto one = door.wait(10, later);
  CHECK(door.admit() == tickets{one});
  door.forget(one);
  door.forget(one + 1);
  CHECK(door.used() == 10);
}

TEST_CASE("admission: tickets are never 0 and never used again") {
  admission door{100};
  const auto first = door.wait(10, later);
  door.forget(first);
  const auto second = door.wait(10, later);
  CHECK(first != 0);
  CHECK(second > first);
}

TEST_CASE("admission: any run keeps the budget, the order and the sum") {
  std::mt19937_64 random{8};
  for (int round = 0; round < 200; ++round) {
    admission door{100};
    std::vector<uint64_t> held; // Bytes of each reservation.
    std::deque<std::pair<uint64_t, uint64_t>> line;
    for (int step = 0; step < 300; ++step) {
      const auto now = at(step * 1s);
      const auto bytes = 1 + random() % (random() % 10 == 0 ? 300 : 60);
      switch (random() % 4) {
      case 0:
        if (door.try_reserve(bytes)) {
          REQUIRE(line.empty());
          held.push_back(bytes);
        }
        break;
      case 1:
        line.emplace_back(
          door.wait(bytes, now + milliseconds{random() % 90'000}), bytes);
        break;
      case 2:
        if (!held.empty()) {
          std::swap(held[random() % held.size()], held.back());
          door.release(held.back());
          held.pop_back();
        }
        break;
      default:
        for (const auto ticket : door.expire(now))
          std::erase_if(line, [&](auto& one) { return one.first == ticket; });
      }
      for (const auto ticket : door.admit()) {
        REQUIRE(line.front().first == ticket);
        held.push_back(line.front().second);
        line.pop_front();
      }
      uint64_t sum = 0;
      for (const auto each : held)
        sum += each;
      REQUIRE(door.used() == sum);
      REQUIRE(door.waiting() == line.size());
      REQUIRE((sum <= 100 || held.size() == 1));
      if (!line.empty()) // Whoever is first truly has no room.
        REQUIRE(sum + line.front().second > 100);
      if (held.empty())
        REQUIRE(line.empty());
    }
  }
}
