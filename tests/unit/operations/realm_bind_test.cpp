#include "actors/policy/send_id.hpp"
#include "tests/unit/operations/realm_fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using names = std::vector<std::string>;
using policy::head_step;

} // namespace

TEST_CASE_TEMPLATE("realm: d11 rooms are those of the head's turn", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2")});
  // Who joins while it waits gets it, who left does not.
  on.change({"!c"}, {"!b"});
  const auto bound = on.bind();
  CHECK(bound.seq == 1);
  CHECK(bound.written == 2);
  CHECK(
    bound.lanes
    == std::vector<policy::lane_head>{{{"!a"}, 1, false}, {{"!c"}, 1, false}});
  CHECK(on.event("we_1").audience_version == 2);
  CHECK(on.event("we_1").state == realm_event_state::bound);
  // Who comes later does not.
  on.change({"!d"});
  CHECK(on.drain()
        == std::map<std::string, names>{{"!a", {"we_1", "we_2"}},
                                        {"!c", {"we_1", "we_2"}},
                                        {"!d", {"we_2"}}});
}

TEST_CASE_TEMPLATE("realm: d8 a transaction id is of the event and its bytes",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2")});
  on.bind();
  const auto rows = on.sends("we_1");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].txn == policy::send_id("we_1", {"!a"}, R"({"a":1})"));
  CHECK(rows[0].txn != rows[1].txn);
  // It was there before the first try, and is the same at each.
  CHECK(on.begin("!a").send->txn == rows[0].txn);
  CHECK(on.begin("!a").send->txn == rows[0].txn);
  CHECK(on.begin("!a").send->content == R"({"a":1})");
}

TEST_CASE_TEMPLATE("realm: q41 an event nobody waits for ends at the head",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  std::vector<realm_offer> offers;
  for (int i = 0; i < 200; ++i)
    offers.push_back(offer(std::to_string(i)));
  on.submit(offers);
  on.submit_one(offer("last"));
  // No turn is asked for, and a commit ends many.
  CHECK(on.bind(realm_ordering::room, false).ended == 200);
  const auto rest = on.bind(realm_ordering::room, false);
  CHECK(rest.ended == 1);
  CHECK(rest.news.left.size() == 1);
  CHECK(on.event("we_last").how == send_outcome::no_rooms);
  CHECK(on.row().open_events == 0);
  CHECK(!on.content("we_last"));
}

TEST_CASE_TEMPLATE("realm: d12 a head may wait for a first room", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.submit_one(offer("1"));
  const auto bound = on.bind(realm_ordering::room, true, 10min);
  CHECK(bound.ended == 0);
  CHECK(bound.step == head_step::wait);
  CHECK(bound.wait > 9min);
  on.change({"!a"});
  CHECK(on.bind(realm_ordering::room, true, 10min).written == 1);
}

TEST_CASE_TEMPLATE("realm: d11 without a turn nothing is bound", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  on.submit_one(offer("1"));
  const auto seen = on.bind(realm_ordering::room, false);
  CHECK(seen.step == head_step::bind);
  CHECK(seen.written == 0);
  CHECK(on.row().unbound == 1);
}

TEST_CASE_TEMPLATE("realm: d11 an event waits until some room of it is free",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2"), offer("3")});
  on.bind();
  // Both rooms are owed the first.
  CHECK(on.bind().step == head_step::wait);
  on.send("!a");
  CHECK(on.bind().seq == 2);
  // A room that hangs holds up itself alone.
  on.send("!a");
  CHECK(on.bind().seq == 3);
  on.send("!a");
  CHECK(on.lanes() == std::vector<realm_lane_row>{{{"!b"}, 1, true}});
  // Of rooms of its own likewise.
  auto own = offer("4");
  own.rooms = room_ids({"!b"});
  on.submit_one(own);
  CHECK(on.bind().step == head_step::wait);
  own = offer("5");
  own.rooms = room_ids({"!b", "!x"});
  on.submit_one(own);
  on.send("!b");
  on.send("!b");
  on.send("!b");
  CHECK(on.bind().seq == 4);
  CHECK(on.bind().seq == 5);
}

TEST_CASE_TEMPLATE("realm: q11 in a realm's order one event goes at a time",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2")});
  on.bind(realm_ordering::realm);
  on.send("!a");
  CHECK(on.bind(realm_ordering::realm).step == head_step::wait);
  on.send("!b");
  CHECK(on.bind(realm_ordering::realm).seq == 2);
}

TEST_CASE_TEMPLATE("realm: e11 a large audience is bound in chunks", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.subscribe_many(2'500);
  on.submit({offer("1"), offer("2")});
  auto bound = on.bind();
  CHECK(bound.written == limits::bind_rows_first);
  CHECK(bound.lanes.size() == limits::realm_lanes_page);
  CHECK(bound.news.is_binding);
  // The audience is that of the first chunk, whoever comes and goes, and a
  // restart goes on where it was.
  on.change({"!x"}, {"!002400"});
  on.open();
  bound = on.bind(realm_ordering::room, false);
  CHECK(bound.seq == 1);
  CHECK(bound.written == limits::bind_rows_more);
  CHECK(bound.lanes.front().room.value == "!000201");
  CHECK(on.bind().written == limits::bind_rows_more);
  bound = on.bind();
  CHECK(bound.written == 300);
  CHECK(!bound.news.is_binding);
  const auto rows = on.sends("we_1");
  CHECK(rows.size() == 2'500);
  CHECK(rows.front().room.value == "!000001");
  CHECK(rows.back().room.value == "!002500");
  CHECK(on.row().unsettled == 2'500);
}

TEST_CASE_TEMPLATE("realm: d15 a pair of which nothing was told expires whole",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  auto beginning = offer("1");
  beginning.expires_in = 1min;
  auto end = offer("2", R"({"a":2})", realm_class::completion);
  end.expires_in = 1min;
  on.submit({beginning, end});
  on.later = 59s;
  CHECK(on.bind(realm_ordering::room, false).step == head_step::bind);
  on.later = 2min;
  CHECK(on.bind(realm_ordering::room, false).ended == 2);
  CHECK(on.event("we_1").how == send_outcome::expired);
  CHECK(on.event("we_2").how == send_outcome::expired);
  CHECK(on.row().open_bytes == 0);
}

TEST_CASE_TEMPLATE("realm: d15 an end goes to each room told of a beginning",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit_one(offer("1"));
  on.bind();
  auto end = offer("2", R"({"a":2})", realm_class::completion);
  end.expires_in = 1min;
  on.submit_one(end);
  on.change({"!c"});
  SUBCASE("that got it") {
    on.send("!a");
    on.send("!b", send_outcome::failed);
    on.later = 2min;
    on.bind();
    CHECK(on.outcome("we_2", "!a") == send_outcome::none);
    CHECK(on.outcome("we_2", "!b") == send_outcome::expired);
  }
  SUBCASE("that is still owed it, or may have it") {
    const auto sent = on.begin("!a").send.value();
    on.settle("!a", sent, send_outcome::uncertain);
    on.later = 2min;
    on.bind();
    CHECK(on.outcome("we_2", "!a") == send_outcome::none);
    CHECK(on.outcome("we_2", "!b") == send_outcome::none);
  }
  CHECK(on.outcome("we_2", "!c") == send_outcome::expired);
  on.drain();
  // It ended what was open.
  auto another = offer("3", R"({"a":3})", realm_class::completion);
  another.expires_in = 1ms;
  on.submit_one(another);
  on.later += 1min;
  CHECK(on.bind().ended == 1);
}

TEST_CASE_TEMPLATE("realm: d15 a bound send never expires", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  auto soon = offer("1");
  soon.expires_in = 1min;
  on.submit_one(soon);
  on.bind();
  on.later = 1h;
  CHECK(on.begin("!a").send->event_id == "we_1");
}
