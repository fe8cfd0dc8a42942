#include "actors/policy/realm_expiry.hpp"
#include "actors/policy/realm_lanes.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

constexpr stored_time noon{1'000'000};
using rooms = std::vector<room_id>;

unbound_head head(uint64_t targets, bool has_free_target) {
  return {targets, has_free_target, {}};
}

realm_condition room_order(uint64_t unsettled) {
  return {realm_ordering::room, unsettled, false, false};
}

realm_condition realm_order(uint64_t unsettled) {
  return {realm_ordering::realm, unsettled, false, false};
}

std::string name(size_t number) {
  return "!" + std::to_string(number);
}

} // namespace

TEST_CASE("realm head: d11 an event is bound when a target room could be sent "
          "to") {
  CHECK(next_head_step(head(3, true), room_order(0), noon) == head_step::bind);
  CHECK(next_head_step(head(3, true), room_order(99), noon) == head_step::bind);
  CHECK(next_head_step(head(3, false), room_order(99), noon)
        == head_step::wait);
}

TEST_CASE("realm head: d11 one room that hangs among ten keeps no event from "
          "being bound") {
  for (uint64_t unsettled = 0; unsettled < 1'000; ++unsettled)
    CHECK(next_head_step(head(10, true), room_order(unsettled), noon)
          == head_step::bind);
  CHECK(surely_has_free_target(10, 9));
  CHECK(!surely_has_free_target(10, 10));
}

TEST_CASE("realm head: q11 in the order of the realm an event waits for all "
          "rooms of the one before") {
  CHECK(next_head_step(head(3, true), realm_order(1), noon) == head_step::wait);
  CHECK(next_head_step(head(3, false), realm_order(0), noon)
        == head_step::bind);
}

TEST_CASE("realm head: q41 an event without target rooms is complete") {
  CHECK(next_head_step(head(0, false), room_order(9), noon)
        == head_step::complete);
  CHECK(next_head_step(head(0, false), realm_order(9), noon)
        == head_step::complete);
}

TEST_CASE("realm head: d12 an event may wait for a first room") {
  unbound_head waits = head(0, false);
  waits.completes_from = noon + 100ms;
  CHECK(next_head_step(waits, room_order(0), noon) == head_step::wait);
  CHECK(next_head_step(waits, room_order(0), noon + 100ms)
        == head_step::complete);
  waits.targets = 1;
  waits.has_free_target = true;
  CHECK(next_head_step(waits, room_order(0), noon) == head_step::bind);
}

TEST_CASE("realm head: the number of bound sends is bounded, tested before") {
  CHECK(next_head_step(head(9, true),
                       room_order(limits::unsettled_sends_max - 1), noon)
        == head_step::bind);
  CHECK(
    next_head_step(head(9, true), room_order(limits::unsettled_sends_max), noon)
    == head_step::wait);
}

TEST_CASE("realm head: a pause or a bind under way lets it wait") {
  auto condition = room_order(0);
  condition.is_halted = true;
  CHECK(next_head_step(head(9, true), condition, noon) == head_step::wait);
  CHECK(next_head_step(head(0, false), condition, noon) == head_step::wait);
  condition = room_order(0);
  condition.is_binding = true;
  CHECK(next_head_step(head(9, true), condition, noon) == head_step::wait);
}

TEST_CASE("realm head: e11 an audience of 120,000 is written in chunks") {
  uint64_t written = bind_rows(120'000, 0);
  CHECK(written == 200);
  int commits = 1;
  while (const auto more = bind_rows(120'000, written)) {
    CHECK(more <= 1'000);
    written += more;
    ++commits;
  }
  CHECK(written == 120'000);
  CHECK(commits == 121);
  CHECK(bind_rows(7, 0) == 7);
  CHECK(bind_rows(7, 9) == 0);
}

TEST_CASE("realm lanes: g3 within a room sends go one at a time in their "
          "order") {
  realm_lanes lanes;
  CHECK(lanes.add({{"!a"}, 1, true}));
  CHECK(lanes.to_offer(at(0s)) == rooms{{"!a"}});
  CHECK(lanes.to_offer(at(0s)).empty());
  CHECK(lanes.start({"!a"}) == 1U);
  CHECK(!lanes.start({"!a"}));
  CHECK(lanes.to_offer(at(0s)) == rooms{{"!a"}}); // It waits for the next.
  CHECK(!lanes.settled({"!a"}, lane_head{{"!a"}, 2, false}));
  CHECK(lanes.start({"!a"}) == 2U);
  CHECK(lanes.to_offer(at(0s)).empty());
  CHECK(lanes.in_flight() == 1);
  CHECK(!lanes.settled({"!a"}, {}));
  CHECK(lanes.size() == 0);
}

TEST_CASE("realm lanes: a send that is tried again is still the head") {
  realm_lanes lanes;
  CHECK(lanes.add({{"!a"}, 1, true}));
  CHECK(lanes.to_offer(at(0s)).size() == 1);
  CHECK(lanes.start({"!a"}) == 1U);
  CHECK(lanes.to_offer(at(0s)).size() == 1);
  CHECK(!lanes.retried({"!a"}, at(0s), at(0s)));
  CHECK(lanes.start({"!a"}) == 1U);
  CHECK(lanes.to_offer(at(0s)).size() == 1);
  CHECK(lanes.retried({"!a"}, at(5s), at(0s))); // Withdraw it, …
  CHECK(!lanes.start({"!a"})); // (a permit that came too late is of no use)
  CHECK(lanes.to_offer(at(0s)).empty());
  CHECK(lanes.next_wake() == at(5s));
  CHECK(lanes.to_offer(at(5s) - 1ms).empty());
  CHECK(lanes.to_offer(at(5s)) == rooms{{"!a"}}); // … and offer it then.
  CHECK(!lanes.next_wake());
  CHECK(lanes.start({"!a"}) == 1U);
}

TEST_CASE("realm lanes: a slow room delays itself alone") {
  realm_lanes lanes;
  for (size_t i = 0; i < 10; ++i)
    CHECK(lanes.add({{name(i)}, 1, true}));
  CHECK(lanes.to_offer(at(0s)).size() == 10);
  CHECK(lanes.start({name(0)}) == 1U); // Never answered.
  for (uint64_t seq = 2; seq <= 1'000; ++seq)
    for (size_t i = 1; i < 10; ++i) {
      CHECK(lanes.start({name(i)}) == seq - 1);
      CHECK(!lanes.settled({name(i)}, lane_head{{name(i)}, seq, seq < 1'000}));
      CHECK(lanes.to_offer(at(0s)).size() <= 2);
    }
  CHECK(lanes.size() == 10);
}

TEST_CASE("realm lanes: an offer outlives no lane") {
  realm_lanes lanes;
  CHECK(lanes.add({{"!a"}, 1, true}));
  CHECK(lanes.to_offer(at(0s)).size() == 1);
  CHECK(lanes.start({"!a"}));
  CHECK(lanes.to_offer(at(0s)).size() == 1);
  CHECK(lanes.settled({"!a"}, {})); // What waited was cancelled meanwhile.
  CHECK(!lanes.start({"!a"}));
  CHECK(lanes.add({{"!b"}, 1, true}));
  CHECK(lanes.to_offer(at(0s)).size() == 1);
  CHECK(lanes.dropped({"!b"}));
  CHECK(!lanes.dropped({"!b"}));
  CHECK(lanes.size() == 0);
  CHECK(lanes.given_back({"!b"}));
}

TEST_CASE("realm lanes: e17 what is in flight of a dropped lane is finished") {
  realm_lanes lanes;
  CHECK(lanes.add({{"!a"}, 1, true}));
  CHECK(lanes.to_offer(at(0s)).size() == 1);
  CHECK(lanes.start({"!a"}));
  CHECK(!lanes.dropped({"!a"}));
  CHECK(lanes.to_offer(at(0s)).empty());
  CHECK(lanes.in_flight() == 1);
  CHECK(!lanes.settled({"!a"}, {}));
  CHECK(lanes.size() == 0);
}

TEST_CASE("realm lanes: a permit that is given back is offered still") {
  realm_lanes lanes;
  CHECK(lanes.add({{"!a"}, 4, false}));
  CHECK(lanes.to_offer(at(0s)).size() == 1);
  CHECK(lanes.start({"!a"}));
  CHECK(!lanes.given_back({"!a"}));
  CHECK(lanes.in_flight() == 0);
  CHECK(lanes.to_offer(at(0s)).empty());
  CHECK(lanes.start({"!a"}) == 4U);
}

TEST_CASE("realm lanes: older events are offered first") {
  realm_lanes lanes;
  CHECK(lanes.add({{"!z"}, 1, false}));
  CHECK(lanes.add({{"!a"}, 3, false}));
  CHECK(lanes.add({{"!m"}, 2, false}));
  CHECK(lanes.to_offer(at(0s)) == rooms{{"!z"}, {"!m"}, {"!a"}});
}

TEST_CASE("realm lanes: what is told again changes no head") {
  realm_lanes lanes;
  CHECK(lanes.add({{"!a"}, 1, false}));
  CHECK(lanes.add({{"!a"}, 2, false})); // A later send of the lane.
  CHECK(lanes.to_offer(at(0s)).size() == 1);
  CHECK(lanes.start({"!a"}) == 1U);
  CHECK(lanes.to_offer(at(0s)).size() == 1); // So there is more.
  CHECK(lanes.add({{"!b"}, 5, false}));
  CHECK(lanes.add({{"!b"}, 5, false}));
  CHECK(lanes.to_offer(at(0s)) == rooms{{"!b"}});
  CHECK(lanes.start({"!b"}) == 5U);
  CHECK(lanes.to_offer(at(0s)).empty());
}

TEST_CASE("realm lanes: e11 of an audience of 120,000 a window is in memory") {
  realm_lanes lanes;
  CHECK(lanes.wants_more());
  size_t told = 0;
  size_t sent = 0;
  size_t most = 0;
  while (sent < 120'000) {
    if (lanes.wants_more())
      while (told < 120'000 && lanes.add({{name(told)}, 1, false}))
        ++told;
    for (const auto& room : lanes.to_offer(at(0s))) {
      CHECK(lanes.start(room));
      CHECK(!lanes.settled(room, {}));
      ++sent;
    }
    most = std::max(most, lanes.size());
  }
  CHECK(most <= realm_lanes::window_default);
  lanes.there_are_no_more();
  CHECK(!lanes.wants_more());
  lanes.there_may_be_more();
  CHECK(lanes.wants_more());
}

TEST_CASE("realm lanes: rooms that wait for a retry take no place of others") {
  realm_lanes lanes;
  size_t sick = 0;
  for (; sick < realm_lanes::asleep_max; ++sick) {
    CHECK(lanes.add({{name(sick)}, 1, true}));
    CHECK(lanes.to_offer(at(0s)).size() == 1);
    CHECK(lanes.start({name(sick)}));
    CHECK(!lanes.retried({name(sick)}, at(1h), at(0s)));
  }
  CHECK(lanes.wants_more());
  CHECK(lanes.known().size() == sick);
  // Beyond that number they do, so that memory is bounded.
  for (size_t i = 0; i < realm_lanes::window_default; ++i, ++sick) {
    CHECK(lanes.add({{name(sick)}, 1, true}));
    CHECK(lanes.to_offer(at(0s)).size() == 1);
    CHECK(lanes.start({name(sick)}));
    CHECK(!lanes.retried({name(sick)}, at(1h), at(0s)));
  }
  CHECK(!lanes.add({{name(sick)}, 1, true}));
  CHECK(!lanes.wants_more());
}

TEST_CASE("realm lanes: whatever becomes of sends, each room sees its order") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    realm_lanes lanes;
    std::map<room_id, uint64_t> last;      // Delivered.
    std::map<room_id, uint64_t> in_flight; // Room and seq.
    std::set<room_id> offered;
    auto now = at(0s);
    constexpr uint64_t events = 20;
    for (size_t i = 0; i < 8; ++i)
      CHECK(lanes.add({{name(i)}, 1, true}));
    for (int step = 0; step < 5'000 && lanes.size() > 0; ++step) {
      for (const auto& room : lanes.to_offer(now))
        CHECK(offered.insert(room).second);
      CHECK(lanes.in_flight() == in_flight.size());
      if (random() % 2 == 0 && !in_flight.empty()) {
        const auto [room, seq] = *in_flight.begin();
        in_flight.erase(room);
        if (random() % 3 == 0) {
          if (lanes.retried(room, now + milliseconds{random() % 2}, now))
            offered.erase(room);
          continue;
        }
        CHECK(last[room] + 1 == seq);
        last[room] = seq;
        std::optional<lane_head> next;
        if (seq < events)
          next = lane_head{room, seq + 1, seq + 1 < events};
        if (lanes.settled(room, next))
          offered.erase(room);
        continue;
      }
      now += 1ms;
      for (const auto& room : rooms{offered.begin(), offered.end()}) {
        if (in_flight.contains(room) || random() % 2 == 0)
          continue;
        offered.erase(room);
        const auto seq = lanes.start(room);
        REQUIRE(seq);
        if (random() % 4 == 0) {
          CHECK(!lanes.given_back(room));
          offered.insert(room);
        } else {
          in_flight[room] = *seq;
        }
      }
    }
    CHECK(lanes.size() == 0);
    for (const auto& [room, seq] : last)
      CHECK(seq == events);
  }
}

TEST_CASE("realm expiry: d15 a completion never expires for a room that was "
          "told of a beginning") {
  const std::optional<stored_time> due = noon;
  CHECK(!expires(realm_class::completion, due, noon, true));
  CHECK(expires(realm_class::completion, due, noon, false));
  for (const bool left_open : {true, false}) {
    CHECK(expires(realm_class::progress, due, noon, left_open));
    CHECK(expires(realm_class::lossy, due, noon, left_open));
  }
}

TEST_CASE("realm expiry: nothing expires before its time, or without one") {
  for (const auto of :
       {realm_class::completion, realm_class::progress, realm_class::lossy}) {
    CHECK(!expires(of, noon + 1ms, noon, false));
    CHECK(!expires(of, {}, noon, false));
  }
}

TEST_CASE("realm expiry: d15 only a completion that arrived ends a beginning "
          "that may have") {
  using enum send_end;
  CHECK(is_left_open(false, realm_class::progress, delivered));
  CHECK(is_left_open(false, realm_class::progress, uncertain));
  CHECK(!is_left_open(false, realm_class::progress, not_sent));
  CHECK(is_left_open(true, realm_class::progress, not_sent));
  CHECK(!is_left_open(true, realm_class::completion, delivered));
  CHECK(is_left_open(true, realm_class::completion, uncertain));
  CHECK(is_left_open(true, realm_class::completion, not_sent));
  CHECK(is_left_open(true, realm_class::lossy, delivered));
  CHECK(!is_left_open(false, realm_class::lossy, delivered));
}

TEST_CASE("realm lanes: a4 an older event may be there again") {
  realm_lanes lanes;
  CHECK(lanes.add({{"!a"}, 6, false}));
  CHECK(lanes.to_offer(at(0ms)).size() == 1);
  CHECK(lanes.start({"!a"}) == 6);
  // The dead letter of event 5 was begun anew meanwhile.
  CHECK(!lanes.settled({"!a"}, lane_head{{"!a"}, 5, false}));
  CHECK(lanes.to_offer(at(0ms)).size() == 1);
  CHECK(lanes.start({"!a"}) == 5);
}
