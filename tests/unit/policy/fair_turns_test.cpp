#include "actors/policy/fair_turns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace weir;
using namespace weir::policy;

namespace {

turn_source realm(const std::string& id) {
  return {send_class::bulk, id};
}

void offer_rooms(fair_turns& turns, const std::string& source, int count) {
  for (int i = 0; i < count; ++i)
    CHECK(
      turns.offer(realm(source), {"!" + source + std::to_string(i) + ":hs"}));
}

/// Takes and finishes turns one at a time; who had them, joined.
std::string order_of(fair_turns& turns, int count) {
  std::string order;
  for (int i = 0; i < count; ++i)
    if (const auto taken = turns.next(send_class::bulk)) {
      order += taken->source.id;
      turns.finish(*taken);
    }
  return order;
}

turn take(fair_turns& turns) {
  auto taken = turns.next(send_class::bulk);
  REQUIRE(taken);
  return *taken;
}

} // namespace

TEST_CASE("turns: q7 realms with work take turns, one send each") {
  fair_turns turns{8};
  offer_rooms(turns, "a", 5);
  offer_rooms(turns, "b", 3);
  offer_rooms(turns, "c", 1);
  CHECK(order_of(turns, 9) == "abcababaa");
  CHECK(!turns.next(send_class::bulk));
}

TEST_CASE("turns: rooms of one realm go in the order in which they were "
          "offered") {
  fair_turns turns{8};
  CHECK(turns.offer(realm("a"), {"!z"}));
  CHECK(turns.offer(realm("a"), {"!b"}));
  CHECK(turns.offer(realm("a"), {"!z"})); // Says nothing new.
  CHECK(take(turns).room == room_id{"!z"});
  CHECK(take(turns).room == room_id{"!b"});
  CHECK(!turns.next(send_class::bulk));
}

TEST_CASE("turns: g6 who comes waits for one send of each other at most") {
  fair_turns turns{8};
  for (const auto* each : {"a", "b", "c"})
    offer_rooms(turns, each, 20);
  CHECK(order_of(turns, 10) == "abcabcabca");
  offer_rooms(turns, "q", 1);
  CHECK(order_of(turns, 4).find('q') <= 3);
}

TEST_CASE("turns: g6 going away and coming back earns no turn") {
  fair_turns turns{8};
  offer_rooms(turns, "a", 20);
  offer_rooms(turns, "b", 20);
  int quick = 0;
  for (int i = 0; i < 30; ++i) { // "q" offers anew when its send is over.
    offer_rooms(turns, "q", 1);
    const auto taken = take(turns);
    quick += taken.source.id == "q" ? 1 : 0;
    turns.finish(taken);
  }
  CHECK(quick == 10);
}

TEST_CASE("turns: g6 who comes back in a round goes behind all of it") {
  fair_turns turns{8};
  offer_rooms(turns, "a", 1);
  offer_rooms(turns, "b", 2);
  offer_rooms(turns, "c", 1);
  CHECK(order_of(turns, 2) == "ab");
  offer_rooms(turns, "a", 1);
  CHECK(order_of(turns, 3) == "cba");
}

TEST_CASE("turns: a realm that waited for rooms has earned no more than its "
          "next turn") {
  fair_turns turns{8};
  turns.close({"!a0:hs"});
  offer_rooms(turns, "a", 1);
  offer_rooms(turns, "b", 20);
  CHECK(order_of(turns, 10) == "bbbbbbbbbb");
  turns.open({"!a0:hs"});
  CHECK(order_of(turns, 1) == "a"); // It kept its place.
  offer_rooms(turns, "a", 10);
  CHECK(order_of(turns, 4) == "baba");
}

TEST_CASE("turns: e9 over all realms one send at a time is in flight to a "
          "room") {
  fair_turns turns{8};
  CHECK(turns.offer(realm("a"), {"!x"}));
  CHECK(turns.offer(realm("b"), {"!x"}));
  const auto first = take(turns);
  CHECK(!turns.next(send_class::bulk));
  CHECK(turns.any_offered());
  turns.finish(first);
  CHECK(take(turns).source.id == "b");
}

TEST_CASE("turns: e9 a freed room goes to the realm that waited longest for "
          "it") {
  fair_turns turns{8};
  CHECK(turns.offer(realm("a"), {"!x"}));
  const auto first = take(turns);
  CHECK(turns.offer(realm("b"), {"!x"}));
  CHECK(turns.offer(realm("c"), {"!x"}));
  // The turn of "c" comes before that of "b", which has just had one.
  CHECK(turns.offer(realm("b"), {"!y"}));
  CHECK(take(turns).source.id == "b");
  turns.finish(first);
  const auto second = take(turns);
  CHECK(second.source.id == "b");
  CHECK(second.room == room_id{"!x"});
  turns.finish(second);
  CHECK(take(turns).source.id == "c");
}

TEST_CASE("turns: e9 a room that waits for nobody is no room that is waited "
          "for") {
  fair_turns turns{8};
  CHECK(turns.offer(realm("a"), {"!x"}));
  CHECK(turns.offer(realm("b"), {"!x"}));
  turns.withdraw(realm("a"), {"!x"});
  CHECK(take(turns).source.id == "b");
}

TEST_CASE("turns: e7 while another waits no realm takes more than half the "
          "slots") {
  fair_turns turns{8};
  offer_rooms(turns, "a", 20);
  offer_rooms(turns, "b", 1);
  std::string order;
  std::optional<turn> of_b;
  while (const auto taken = turns.next(send_class::bulk)) {
    order += taken->source.id;
    if (taken->source.id == "b") {
      of_b = taken;
      offer_rooms(turns, "b", 1); // The next to its only room.
    }
  }
  CHECK(order == "abaaa");
  CHECK(turns.any_passed_over());
  CHECK(!turns.any_ready(send_class::bulk));
  REQUIRE(of_b);
  turns.finish(*of_b);
  CHECK(take(turns).source.id == "b");
  CHECK(turns.in_flight(realm("a")) == 4);
  CHECK(take(turns).source.id == "a"); // Nobody waits but itself.
}

TEST_CASE("turns: e7 a room is not kept for who may take no slot") {
  fair_turns turns{2};
  CHECK(turns.offer(realm("a"), {"!x"}));
  CHECK(turns.offer(realm("a"), {"!y"}));
  CHECK(turns.offer(realm("b"), {"!y"}));
  CHECK(take(turns).room == room_id{"!x"}); // Half of two is one.
  const auto next = take(turns);
  CHECK(next.source.id == "b");
  CHECK(next.room == room_id{"!y"});
}

TEST_CASE("turns: e7 with one slot every realm may take it") {
  fair_turns turns{1};
  offer_rooms(turns, "a", 2);
  offer_rooms(turns, "b", 2);
  CHECK(order_of(turns, 4) == "abab");
}

TEST_CASE("turns: a class has its own turns") {
  fair_turns turns{8};
  offer_rooms(turns, "a", 1);
  const turn_source timed{send_class::timed, "delayed"};
  CHECK(turns.offer(timed, {"!t"}));
  CHECK(turns.any_ready(send_class::timed));
  CHECK(!turns.any_ready(send_class::interactive));
  CHECK(turns.next(send_class::timed)->source == timed);
  CHECK(!turns.next(send_class::timed));
  CHECK(take(turns).source.id == "a");
}

TEST_CASE("turns: a delayed event comes before all that wait for a room") {
  fair_turns turns{8};
  CHECK(turns.offer(realm("a"), {"!x"}));
  const auto first = take(turns);
  CHECK(turns.offer(realm("b"), {"!x"}));
  CHECK(turns.offer({send_class::timed, "delayed"}, {"!x"}));
  turns.finish(first);
  CHECK(!turns.any_ready(send_class::bulk));
  CHECK(turns.any_ready(send_class::timed));
}

TEST_CASE("turns: a realm may take a turn and say the room later") {
  fair_turns turns{8};
  CHECK(turns.offer(realm("a"), {}));
  auto taken = take(turns);
  CHECK(turns.offer(realm("b"), {"!x"}));
  const auto other = take(turns);
  CHECK(turns.offer(realm("c"), {"!y"}));
  CHECK(!turns.settle_on(taken, {"!x"})); // Busy.
  CHECK(!turns.settle_on(taken, {"!y"})); // Waited for.
  CHECK(turns.settle_on(taken, {"!z"}));
  CHECK(turns.offer(realm("d"), {"!z"}));
  CHECK(take(turns).source.id == "c");
  CHECK(!turns.next(send_class::bulk));
  turns.finish(taken);
  CHECK(take(turns).source.id == "d");
}

TEST_CASE(
  "turns: d11 while a room of its own can be had, a realm is not asked to "
  "find one") {
  fair_turns turns{8};
  CHECK(turns.offer(realm("a"), {}));
  CHECK(turns.offer(realm("a"), {"!x"}));
  CHECK(turns.offer(realm("a"), {"!y"}));
  turns.close({"!y"});
  CHECK(take(turns).room == room_id{"!x"});
  CHECK(take(turns).room.value.empty());
  turns.open({"!y"});
  CHECK(take(turns).room == room_id{"!y"});
}

TEST_CASE("turns: a turn that is given back is as if it had not been taken") {
  fair_turns turns{8};
  offer_rooms(turns, "a", 3);
  offer_rooms(turns, "b", 3);
  const auto taken = take(turns);
  CHECK(taken.source.id == "a");
  turns.undo(taken);
  const auto again = take(turns);
  CHECK(again.source.id == "a");
  CHECK(again.room == taken.room);
  turns.finish(again);
  CHECK(order_of(turns, 5) == "babab");
}

TEST_CASE("turns: one of several turns given back costs the others nothing") {
  fair_turns turns{8};
  offer_rooms(turns, "a", 6);
  const auto first = take(turns);
  const auto second = take(turns);
  offer_rooms(turns, "b", 6);
  turns.undo(first);
  turns.finish(second);
  const auto order = order_of(turns, 6);
  CHECK(std::count(order.begin(), order.end(), 'a') >= 3);
  CHECK(std::count(order.begin(), order.end(), 'a') <= 4);
}

TEST_CASE("turns: the earlier of two turns given back costs one turn less") {
  fair_turns turns{8};
  offer_rooms(turns, "a", 4);
  offer_rooms(turns, "b", 2);
  const auto first = take(turns);
  CHECK(order_of(turns, 1) == "b");
  CHECK(take(turns).source.id == "a");
  turns.undo(first);
  CHECK(order_of(turns, 2) == "ba");
}

TEST_CASE("turns: a probe prefers rooms, and takes another when there is "
          "none") {
  fair_turns turns{8};
  CHECK(turns.offer(realm("a"), {}));
  CHECK(turns.offer(realm("a"), {"!sick"}));
  CHECK(turns.offer(realm("b"), {"!well"}));
  const auto well = [](const room_id& room) { return room.value == "!well"; };
  CHECK(turns.next(send_class::bulk, well)->room == room_id{"!well"});
  CHECK(turns.next(send_class::bulk, well)->source.id == "a");
}

TEST_CASE("turns: a closed room is not started to, whoever waits") {
  fair_turns turns{8};
  CHECK(turns.offer(realm("a"), {"!x"}));
  turns.close({"!x"});
  CHECK(!turns.any_ready(send_class::bulk));
  auto bind = turn{};
  CHECK(turns.offer(realm("b"), {}));
  bind = take(turns);
  CHECK(!turns.settle_on(bind, {"!x"}));
  turns.undo(bind);
  turns.open({"!x"});
  CHECK(take(turns).source.id == "a");
}

TEST_CASE("turns: a source names a bounded number of rooms") {
  fair_turns turns{8};
  offer_rooms(turns, "a", static_cast<int>(fair_turns::offers_max));
  CHECK(!turns.offer(realm("a"), {"!one-more"}));
  CHECK(turns.offer(realm("a"), {"!a0:hs"}));
  CHECK(turns.offer(realm("b"), {"!one-more"}));
}

TEST_CASE("turns: realms that have nothing to send are not known") {
  fair_turns turns{8};
  for (int i = 0; i < 1'000; ++i)
    offer_rooms(turns, "r" + std::to_string(i), 1);
  CHECK(order_of(turns, 500).size() > 500);
  CHECK(turns.known() <= 1'000);
  CHECK(order_of(turns, 500).size() > 500);
  CHECK(turns.known() == 0);
  CHECK(turns.known_rooms() == 0);
  CHECK(turns.in_flight(realm("r1")) == 0);
  // Nor who leaves without having had a turn, while others wait.
  offer_rooms(turns, "a", 1);
  CHECK(turns.offer(realm("b"), {"!b"}));
  turns.withdraw(realm("b"), {"!b"});
  CHECK(turns.known() == 1);
  CHECK(order_of(turns, 1) == "a");
  // Who had a turn is known until the round is over.
  offer_rooms(turns, "a", 1);
  offer_rooms(turns, "b", 1);
  CHECK(order_of(turns, 1) == "a");
  CHECK(turns.known() == 2);
  CHECK(order_of(turns, 1) == "b");
  CHECK(turns.known() == 0);
  // Nor those of rounds before, while others go on.
  offer_rooms(turns, "a", 60);
  for (int i = 0; i < 40; ++i) {
    offer_rooms(turns, "r" + std::to_string(i), 1);
    order_of(turns, 2);
  }
  CHECK(turns.known() <= 4);
}
