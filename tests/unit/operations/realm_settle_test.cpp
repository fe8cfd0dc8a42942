#include "tests/support/memory_store/memory_state.hpp"
#include "tests/unit/operations/realm_fixture.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE_TEMPLATE("realm: g5 a settled send has its outcome, once", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit_one(offer("1"));
  on.bind();
  const auto sent = on.begin("!a").send.value();
  auto settled = on.settle("!a", sent);
  CHECK(!settled.not_current);
  CHECK(!settled.event_over);
  CHECK(!settled.next);
  CHECK(settled.news.unsettled == 1);
  const auto row = on.sends("we_1")[0];
  CHECK(row.outcome == send_outcome::delivered);
  CHECK(row.remote_id == "$we_1");
  CHECK(row.over_at != stored_time{});
  // An answer that comes twice changes nothing.
  settled = on.settle("!a", sent, send_outcome::failed);
  CHECK(settled.not_current);
  CHECK(on.sends("we_1")[0] == row);
  CHECK(on.row().delivered == 1);
  settled = on.settle("!b", on.begin("!b").send.value());
  CHECK(settled.event_over);
  CHECK(settled.news.left
        == std::vector<realm_left>{
          {realm_class::progress, limits::realm_event_overhead_bytes + 7}});
  CHECK(on.event("we_1").state == realm_event_state::over);
  CHECK(on.event("we_1").delivered == 2);
  CHECK(!on.content("we_1"));
  CHECK(on.row().last_over == 1);
}

TEST_CASE_TEMPLATE("realm: g3 a room gets events in the order of acceptance",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2"), offer("3")});
  using names = std::vector<std::string>;
  const auto got = on.drain();
  CHECK(got.at("!a") == names{"we_1", "we_2", "we_3"});
  CHECK(got.at("!b") == names{"we_1", "we_2", "we_3"});
  CHECK(on.row().open_events == 0);
  CHECK(on.row().open_bytes == 0);
}

TEST_CASE_TEMPLATE("realm: e19 a dead letter holds nothing up", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2", "{}", realm_class::completion)});
  on.bind();
  CHECK(on.send("!a", send_outcome::failed) == "we_1");
  CHECK(on.bind().seq == 2);
  CHECK(on.send("!a") == "we_2");
  CHECK(on.row().dead_letters == 1);
  on.send("!b");
  // What can be begun anew is kept whole.
  CHECK(on.event("we_1").state == realm_event_state::over);
  CHECK(on.event("we_1").failed == 1);
  CHECK(on.content("we_1")->content == R"({"a":1})");
}

TEST_CASE_TEMPLATE("realm: e21 what is bound for a subscription ends with it",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit_one(offer("1"));
  on.bind();
  on.change({}, {"!a"});
  on.change({"!a"});
  on.submit_one(offer("2"));
  CHECK(on.begin("!a").ended == 1);
  CHECK(on.outcome("we_1", "!a") == send_outcome::unsubscribed);
  CHECK(on.outcome("we_1", "!b") == send_outcome::none);
  // The new one gets what comes after it.
  on.bind();
  CHECK(on.send("!a") == "we_2");
}

TEST_CASE_TEMPLATE("realm: q36 a room without the sender rests", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2")});
  on.bind();
  on.send("!b");
  on.bind();
  on.send("!a", send_outcome::not_joined);
  CHECK(!on.begin("!a").send);
  CHECK(on.outcome("we_2", "!a") == send_outcome::skipped);
  on.submit_one(offer("3"));
  on.send("!b");
  on.bind();
  CHECK(on.outcome("we_3", "!a") == send_outcome::skipped);
  CHECK(on.outcome("we_3", "!b") == send_outcome::none);
  // To subscribe again is to begin anew.
  CHECK(on.change({"!a"}).version == 2);
  on.send("!b");
  on.submit_one(offer("4"));
  on.bind();
  CHECK(on.send("!a") == "we_4");
}

TEST_CASE_TEMPLATE("realm: d9 a send that is too old to repeat is uncertain",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  on.submit({offer("1"), offer("2")});
  on.bind();
  on.later = 22h + 59min;
  CHECK(on.begin("!a").send.has_value());
  on.later = 23h + 1min;
  CHECK(!on.begin("!a").send);
  CHECK(on.outcome("we_1", "!a") == send_outcome::uncertain);
  CHECK(on.row().dead_letters == 1);
  // The other was not bound in all that time, and is as good as new.
  on.bind();
  CHECK(on.send("!a") == "we_2");
}

TEST_CASE_TEMPLATE("realm: e20 an event is over when each room is", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2")});
  on.bind();
  on.send("!a");
  on.bind();
  on.send("!a");
  auto own = offer("3");
  own.rooms = room_ids({"!x"});
  on.submit_one(own);
  on.bind();
  on.send("!x");
  // A later one is over, the earlier are not.
  CHECK(on.row().last_over == 3);
  CHECK(on.event("we_1").state == realm_event_state::bound);
  CHECK(on.event("we_1").unsettled == 1);
  CHECK(on.row().unsettled == 2);
}

TEST_CASE_TEMPLATE("realm: d9 a send that was begun may have arrived", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  on.submit_one(offer("1"));
  on.bind();
  CHECK(!on.begin("!a").send->may_be_stored);
  // Whoever began it may have been killed behind the send.
  on.open();
  CHECK(on.begin("!a").send->may_be_stored);
  CHECK(on.sends("we_1")[0].tries == 2);
}

TEST_CASE_TEMPLATE("realm: g5 each outcome is one row of the feed", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  const auto rows = [&] {
    return on.look([](store& at) {
      return at.outcomes().forget_outcomes({}, 0, 1'000'000);
    });
  };
  on.change({"!a", "!b"});
  on.submit({offer("1"), replacing("2", "{}"), replacing("3", "{}")});
  CHECK(rows() == 1); // Of the one that merged.
  on.bind();
  CHECK(rows() == 0);
  on.send("!a");
  CHECK(rows() == 1);
  on.send("!b", send_outcome::failed);
  CHECK(rows() == 1);
  on.change({}, room_ids({"!a", "!b"}));
  CHECK(on.bind().ended == 1);
  CHECK(rows() == 1); // Nobody is left to wait for the second.
}

TEST_CASE("realm: g5 the feed names the event, its room and what came of it") {
  realm_house<on_memory> on;
  on.change({"!a", "!b"});
  on.submit_one(offer("1"));
  on.bind();
  on.send("!a");
  on.send("!b", send_outcome::failed);
  std::vector<std::string> lines;
  const auto tables = on.where.database.copy();
  for (const auto& [at, row] : tables->outcomes)
    lines.push_back(row.queue + " " + row.subject + " " + row.result + " "
                    + row.detail);
  CHECK(lines
        == std::vector<std::string>{"realm/r we_1/!a delivered $we_1",
                                    "realm/r we_1/!b failed http_4xx"});
}
