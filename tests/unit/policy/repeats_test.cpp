#include "actors/policy/repeats.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace weir;
using namespace weir::policy;

namespace {

using hashes = std::vector<uint64_t>;
using memory = std::vector<remembered_transaction>;

constexpr uint64_t none = 0;
constexpr uint64_t part_x = 71;
constexpr uint64_t part_y = 72;
constexpr uint64_t part_z = 73;

/// Events 1, 2, 3 with the non-event part x.
const memory one_two_three{{0, {1, 2, 3}, {part_x}}};

repeat_decision duplicate_of(uint32_t generation) {
  return {repeat_kind::duplicate, generation};
}
repeat_decision part_only_in(uint32_t generation) {
  return {repeat_kind::non_event_part_only, generation};
}
repeat_decision anew_as(uint32_t generation) {
  return {repeat_kind::new_generation, generation};
}

} // namespace

TEST_CASE("repeats: an id without a past is first seen") {
  for (const auto part : {none, part_x}) {
    CHECK(compare_with_past({}, hashes{1, 2}, part)
          == repeat_decision{repeat_kind::first_seen, 0});
    CHECK(compare_with_past({}, hashes{}, part)
          == repeat_decision{repeat_kind::first_seen, 0});
  }
}

TEST_CASE("repeats: the same events are a duplicate") {
  CHECK(compare_with_past(one_two_three, hashes{1, 2, 3}, part_x)
        == duplicate_of(0));
  CHECK(compare_with_past(one_two_three, hashes{1, 2, 3}, none)
        == duplicate_of(0));
}

TEST_CASE("repeats: a retry that lost events is a duplicate") {
  for (const auto& events : {hashes{1}, hashes{2}, hashes{3}, hashes{1, 2},
                             hashes{1, 3}, hashes{2, 3}}) {
    CHECK(compare_with_past(one_two_three, events, none) == duplicate_of(0));
    CHECK(compare_with_past(one_two_three, events, part_x) == duplicate_of(0));
  }
}

TEST_CASE("repeats: a retry that lost everything is a duplicate") {
  CHECK(compare_with_past(one_two_three, hashes{}, none) == duplicate_of(0));
  CHECK(compare_with_past(one_two_three, hashes{}, part_x) == duplicate_of(0));
}

TEST_CASE("repeats: known events with a new part store that part only") {
  CHECK(compare_with_past(one_two_three, hashes{1, 2, 3}, part_y)
        == part_only_in(0));
  CHECK(compare_with_past(one_two_three, hashes{2}, part_y) == part_only_in(0));
}

TEST_CASE("repeats: a part stored later is known from then on") {
  const memory past{{0, {1, 2, 3}, {part_x, part_y}}};
  CHECK(compare_with_past(past, hashes{1, 2, 3}, part_y) == duplicate_of(0));
  CHECK(compare_with_past(past, hashes{}, part_y) == duplicate_of(0));
  CHECK(compare_with_past(past, hashes{1}, part_z) == part_only_in(0));
}

TEST_CASE("repeats: no events and a new part are a new generation") {
  CHECK(compare_with_past(one_two_three, hashes{}, part_y) == anew_as(1));
  const memory without_events{{0, {}, {part_x}}};
  CHECK(compare_with_past(without_events, hashes{}, part_y) == anew_as(1));
  CHECK(compare_with_past(without_events, hashes{}, part_x) == duplicate_of(0));
}

TEST_CASE("repeats: other events are a new generation") {
  for (const auto& events :
       {hashes{9}, hashes{1, 2, 3, 4}, hashes{0, 1, 2, 3}, hashes{1, 2, 2, 3},
        hashes{3, 2, 1}, hashes{2, 1}, hashes{1, 9, 3}, hashes{1, 1}})
    for (const auto part : {none, part_x, part_y})
      CHECK(compare_with_past(one_two_three, events, part) == anew_as(1));
}

TEST_CASE("repeats: events after a transaction without any are others") {
  CHECK(compare_with_past(memory{{0, {}, {part_x}}}, hashes{1}, none)
        == anew_as(1));
}

TEST_CASE("repeats: every generation is compared with, the newest first") {
  const memory past{
    {0, {1, 2, 3}, {part_x}}, {1, {4, 5}, {}}, {2, {1, 2}, {part_y}}};
  CHECK(compare_with_past(past, hashes{1, 2, 3}, none) == duplicate_of(0));
  CHECK(compare_with_past(past, hashes{4, 5}, none) == duplicate_of(1));
  CHECK(compare_with_past(past, hashes{1, 2}, none) == duplicate_of(2));
  CHECK(compare_with_past(past, hashes{1, 2}, part_x) == duplicate_of(0));
  CHECK(compare_with_past(past, hashes{1}, part_z) == part_only_in(2));
  CHECK(compare_with_past(past, hashes{5, 4}, none) == anew_as(3));
  CHECK(compare_with_past(past, hashes{}, part_z) == anew_as(3));
}

TEST_CASE("repeats: a part known to another generation is known to the id") {
  const memory past{{0, {1, 2, 3}, {part_x}}, {1, {4, 5}, {}}};
  CHECK(compare_with_past(past, hashes{4, 5}, part_x) == duplicate_of(1));
  CHECK(compare_with_past(past, hashes{}, part_x) == duplicate_of(0));
}

TEST_CASE("repeats: a new generation follows the highest, gaps or not") {
  const memory past{{7, {4}, {}}, {3, {5}, {}}};
  CHECK(compare_with_past(past, hashes{6}, none) == anew_as(8));
  CHECK(compare_with_past(past, hashes{5}, none) == duplicate_of(3));
}

TEST_CASE("repeats: an event that stands twice may be lost once") {
  const memory past{{0, {1, 1, 2}, {}}};
  CHECK(compare_with_past(past, hashes{1, 2}, none) == duplicate_of(0));
  CHECK(compare_with_past(past, hashes{1, 1, 2}, none) == duplicate_of(0));
  CHECK(compare_with_past(past, hashes{1, 1, 1}, none) == anew_as(1));
}

TEST_CASE("repeats: whatever a retry loses, it is never stored twice") {
  std::mt19937_64 random{3};
  for (int round = 0; round < 2'000; ++round) {
    remembered_transaction first{0, {}, {part_x}};
    for (auto left = random() % 30; left > 0; --left)
      first.event_hashes.push_back(random() % 20);
    hashes retried;
    for (const auto hash : first.event_hashes)
      if (random() % 3 != 0)
        retried.push_back(hash);
    const auto part = random() % 2 == 0 ? none : part_x;
    REQUIRE(compare_with_past(memory{first}, retried, part) == duplicate_of(0));
    // One event of its own is enough to be another transaction.
    retried.insert(
      retried.begin() + std::ptrdiff_t(random() % (retried.size() + 1)), 99);
    REQUIRE(compare_with_past(memory{first}, retried, part) == anew_as(1));
  }
}
