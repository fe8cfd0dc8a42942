#include "actors/policy/overflow.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace weir;
using namespace weir::policy;

namespace {

constexpr auto stays = overflow_fate::stays;
constexpr auto dropped = overflow_fate::dropped;
constexpr auto buried = overflow_fate::dead_letter;
constexpr uint64_t plenty = UINT64_MAX;

queue_bounds oldest_go(uint64_t elements, uint64_t bytes = UINT64_MAX) {
  return {elements, bytes, milliseconds{0},
          overflow_policy::dead_letter_oldest};
}

using fates = std::vector<overflow_fate>;
using rows = std::vector<overflow_row>;

const rows three{{lane::event, 10}, {lane::to_device, 20}, {lane::event, 30}};

} // namespace

TEST_CASE("overflow: a queue is full at its bound in elements or bytes") {
  const queue_bounds bounds{10, 100, milliseconds{0}, overflow_policy::hold};
  CHECK(!is_full({9, 99}, bounds));
  CHECK(is_full({10, 0}, bounds));
  CHECK(is_full({0, 100}, bounds));
}

TEST_CASE("overflow: the oldest go, and no more than needed") {
  CHECK(make_room(three, {10, 500}, oldest_go(10), plenty)
        == fates{buried, stays, stays});
  CHECK(make_room(three, {11, 500}, oldest_go(10), plenty)
        == fates{buried, buried, stays});
  CHECK(make_room(three, {9, 500}, oldest_go(10), plenty)
        == fates{stays, stays, stays});
  CHECK(make_room(three, {3, 500}, oldest_go(10, 481), plenty)
        == fates{buried, buried, stays});
}

TEST_CASE("overflow: under hold nothing goes") {
  CHECK(make_room(three, {11, 500}, queue_bounds{1, 1}, plenty)
        == fates{stays, stays, stays});
}

TEST_CASE("overflow: what is ephemeral goes first, and is not kept") {
  const rows mixed{{lane::event, 10}, {lane::ephemeral, 5}, {lane::event, 10}};
  CHECK(make_room(mixed, {10, 500}, oldest_go(10), 0)
        == fates{stays, dropped, stays});
  CHECK(make_room(mixed, {11, 500}, oldest_go(10), plenty)
        == fates{buried, dropped, stays});
}

TEST_CASE("overflow: without room for dead letters the oldest stays, and all "
          "behind it") {
  const rows large_first{{lane::event, 50}, {lane::event, 1}};
  CHECK(make_room(large_first, {12, 500}, oldest_go(10), 49)
        == fates{stays, stays});
  CHECK(make_room(three, {12, 500}, oldest_go(10), 29)
        == fates{buried, stays, stays});
  CHECK(make_room(three, {12, 500}, oldest_go(10), 30)
        == fates{buried, buried, stays});
}

TEST_CASE("overflow: any rows end below the bounds, or all that may go went") {
  std::mt19937 random{7};
  const auto below = [&](uint64_t bound) { return random() % bound; };
  for (int round = 0; round < 2'000; ++round) {
    rows given(below(8));
    queue_fill held{below(5), below(50)};
    for (auto& each : given) {
      each = {static_cast<lane>(below(6)), 1 + below(40)};
      held.elements += 1;
      held.bytes += each.bytes;
    }
    const auto bounds = oldest_go(1 + below(10), 1 + below(200));
    const uint64_t room = below(150);
    const auto made = make_room(given, held, bounds, room);
    uint64_t kept_aside = 0;
    for (const auto going : {dropped, buried}) {
      bool passed_over = false;
      for (size_t i = 0; i < given.size(); ++i) {
        const bool is_ephemeral = given[i].kind == lane::ephemeral;
        if (is_ephemeral != (going == dropped))
          continue;
        CHECK((made[i] == stays || made[i] == going));
        if (made[i] == stays) {
          passed_over = true;
          continue;
        }
        // The oldest first, and only what was needed.
        CHECK(!passed_over);
        CHECK(is_full(held, bounds));
        held.elements -= 1;
        held.bytes -= given[i].bytes;
        kept_aside += is_ephemeral ? 0 : given[i].bytes;
      }
    }
    CHECK(kept_aside <= room);
  }
}

namespace {

const queue_bounds a_second{1, 1, milliseconds{1'000}, overflow_policy::hold};
constexpr stored_time five_seconds{5'000};

} // namespace

TEST_CASE("overflow: events alone outlive their bound") {
  const auto fate = [](lane kind, int64_t at, const queue_bounds& bounds) {
    const rows one{{kind, 10, {at}}};
    return outlived(one, five_seconds, bounds, plenty).fates.at(0);
  };
  CHECK(fate(lane::event, 3'999, a_second) == buried);
  CHECK(fate(lane::event, 4'000, a_second) == stays);
  for (const auto kind : {lane::ephemeral, lane::to_device, lane::device_lists,
                          lane::key_counts, lane::other})
    CHECK(fate(kind, 1, a_second) == stays);
  CHECK(fate(lane::event, 1, queue_bounds{}) == stays);
}

TEST_CASE("overflow: the first young row ends the search for old ones") {
  const rows mixed{{lane::event, 1, {1}},
                   {lane::to_device, 1, {1}},
                   {lane::event, 1, {1}},
                   {lane::event, 1, {4'500}},
                   {lane::event, 1, {1}}};
  const auto found = outlived(mixed, five_seconds, a_second, plenty);
  CHECK(found.fates == fates{buried, stays, buried, stays, stays});
  CHECK_FALSE(found.all_old);
  const std::span all{mixed};
  CHECK(outlived(all.first(3), five_seconds, a_second, plenty).all_old);
}

TEST_CASE("overflow: an old event without room for it ends the search, what is "
          "no event does not") {
  const rows large{
    {lane::event, 5, {1}}, {lane::to_device, 99, {1}}, {lane::event, 6, {1}}};
  const auto found = outlived(large, five_seconds, a_second, 10);
  CHECK(found.fates == fates{buried, stays, stays});
  CHECK_FALSE(found.all_old);
  CHECK(outlived(large, five_seconds, a_second, 11).all_old);
}

TEST_CASE("overflow: an alarm begins at four fifths and ends below seven "
          "tenths") {
  const queue_bounds bounds{100, 1'000, milliseconds{0}, overflow_policy::hold};
  CHECK(near_bounds(0, {79, 799}, bounds) == 0);
  CHECK(near_bounds(0, {80, 0}, bounds) == near_bound::elements);
  CHECK(near_bounds(0, {0, 800}, bounds) == near_bound::bytes);
  CHECK(near_bounds(near_bound::elements, {70, 0}, bounds)
        == near_bound::elements);
  CHECK(near_bounds(near_bound::elements, {69, 0}, bounds) == 0);
  CHECK(near_bounds(near_bound::age, {80, 900}, bounds)
        == (near_bound::age | near_bound::elements | near_bound::bytes));
  CHECK(near_bounds(0, {1'000'000, 1'000'000}, queue_bounds{}) == 0);
}

TEST_CASE("overflow: the age of the oldest has its alarm too") {
  queue_bounds bounds;
  CHECK(near_age(near_bound::bytes, milliseconds{1'000'000}, bounds)
        == near_bound::bytes);
  bounds.age_max = milliseconds{100};
  CHECK(near_age(0, milliseconds{79}, bounds) == 0);
  CHECK(near_age(near_bound::bytes, milliseconds{80}, bounds)
        == (near_bound::bytes | near_bound::age));
  CHECK(near_age(near_bound::age, milliseconds{70}, bounds) == near_bound::age);
  CHECK(near_age(near_bound::age, milliseconds{69}, bounds) == 0);
  CHECK(near_age(near_bound::age, milliseconds{0}, bounds) == 0);
}

TEST_CASE("overflow: a bound of a millisecond is one") {
  const queue_bounds bounds{UINT64_MAX, UINT64_MAX, milliseconds{1},
                            overflow_policy::hold};
  const rows one{{lane::event, 10, {4'998}}};
  CHECK(outlived(one, five_seconds, bounds, plenty).all_old);
  CHECK(near_age(0, milliseconds{1}, bounds) == near_bound::age);
}

TEST_CASE("overflow: bounds have names") {
  CHECK(near_bounds_text(0).empty());
  CHECK(near_bounds_text(near_bound::bytes) == "bytes");
  CHECK(near_bounds_text(7) == "events,bytes,age");
}
