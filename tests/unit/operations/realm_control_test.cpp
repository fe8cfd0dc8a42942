#include "actors/operations/realm_control.hpp"
#include "tests/unit/operations/realm_fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

template <class Where>
realm_event_cancelled cancel(realm_house<Where>& on, const std::string& id) {
  auto done
    = must(on.ask(operations::cancel_event, cancel_realm_event{on.id, id, {}}));
  on.check_sums();
  return done;
}

template <class Where>
realm_event_redelivered redeliver(realm_house<Where>& on,
                                  const std::string& id) {
  auto done = must(on.ask(operations::redeliver_event,
                          redeliver_realm_event{on.id, id, {}, {}}));
  on.check_sums();
  return done;
}

template <class Where>
realm_deleted erase(realm_house<Where>& on, bool begins = true) {
  auto done = must(
    on.ask(operations::delete_some, delete_realm{on.id, begins, "ada", {}}));
  on.check_sums();
  return done;
}

template <class Where>
realm_halted set_halt(realm_house<Where>& on, bool halted) {
  return must(
    on.ask(operations::halt, halt_realm{on.id, halted, "ada", "why", {}}));
}

} // namespace

TEST_CASE_TEMPLATE("realm: a4 a queued event is taken back whole", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  on.submit({offer("1"), offer("2")});
  const auto done = cancel(on, "we_1");
  CHECK(done.known);
  CHECK(!done.already_over);
  CHECK(done.news.left.size() == 1);
  CHECK(on.event("we_1").how == send_outcome::cancelled);
  CHECK(cancel(on, "we_1").already_over);
  CHECK(!cancel(on, "we_none").known);
  CHECK(on.drain()["!a"] == std::vector<std::string>{"we_2"});
}

TEST_CASE_TEMPLATE("realm: a4 of a bound event what was not begun is cancelled",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit_one(offer("1"));
  on.bind();
  const auto sent = on.begin("!a").send.value();
  CHECK(cancel(on, "we_1").unsettled == 2);
  CHECK(!on.begin("!b").send);
  CHECK(on.outcome("we_1", "!b") == send_outcome::cancelled);
  // What may have arrived is finished, also after a refusal.
  CHECK(on.begin("!a").send->txn == sent.txn);
  CHECK(on.settle("!a", sent).event_over);
}

TEST_CASE_TEMPLATE("realm: a4 an event that is taken back gets no more rooms",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.subscribe_many(300);
  on.submit({offer("1"), offer("2")});
  on.bind();
  CHECK(cancel(on, "we_1").unsettled == 200);
  CHECK(!on.row().binding);
  CHECK(on.bind().seq == 2);
  // Lanes are gone through without a turn, and what is owed stays.
  const begin_realm_send sweep{on.id, {"!000001"}, true, {}};
  auto begun = must(on.ask(operations::begin_send, sweep));
  CHECK(begun.ended == 1);
  CHECK(!begun.send);
  CHECK(on.sends("we_2")[0].tries == 0);
}

TEST_CASE_TEMPLATE("realm: a4 dead letters are begun anew under other ids",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b", "!c"});
  on.submit_one(offer("1"));
  on.bind();
  const auto before = on.sends("we_1")[0].txn;
  on.send("!a", send_outcome::failed);
  on.send("!b");
  on.send("!c", send_outcome::uncertain);
  CHECK(on.row().open_bytes == 0);
  const auto done = redeliver(on, "we_1");
  CHECK(done.known);
  CHECK(done.sends == 2);
  CHECK(done.came_back.has_value());
  CHECK(done.lanes.size() == 2);
  const auto again = on.begin("!a").send.value();
  CHECK(again.txn != before);
  CHECK(again.content == R"({"a":1})");
  // An answer to what was sent before is not to this.
  auto old = again;
  old.txn = before;
  CHECK(on.settle("!a", old).not_current);
  on.settle("!a", again);
  on.send("!c");
  CHECK(on.event("we_1").state == realm_event_state::over);
  CHECK(on.event("we_1").delivered == 3);
  CHECK(on.row().dead_letters == 0);
  CHECK(!on.content("we_1"));
  CHECK(redeliver(on, "we_1").sends == 0);
  CHECK(!redeliver(on, "we_none").known);
}

TEST_CASE_TEMPLATE("realm: a4 a paused realm binds and begins nothing", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  CHECK(!set_halt(on, true).known);
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2")});
  on.bind();
  on.send("!a");
  CHECK(set_halt(on, true).changed);
  CHECK(!set_halt(on, true).changed);
  CHECK(on.row().halted->by == "ada");
  CHECK(on.bind().step == policy::head_step::wait);
  CHECK(!on.begin("!b").send);
  // It takes events in, and a restart does not forget.
  on.open();
  CHECK(on.submit_one(offer("3")).result == offer_result::queued);
  CHECK(on.bind().news.is_halted);
  CHECK(set_halt(on, false).changed);
  CHECK(on.drain()["!b"] == std::vector<std::string>{"we_1", "we_2", "we_3"});
  CHECK(must(on.where.connect_reader()->commands(INT64_MAX, 9)).size() == 2);
}

TEST_CASE_TEMPLATE("realm: e17 a realm that goes has its backlog cancelled",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.subscribe_many(1'500);
  std::vector<realm_offer> offers;
  for (int i = 0; i < 200; ++i)
    offers.push_back(offer(std::to_string(i)));
  on.submit(offers);
  on.submit({offer("x"), offer("y")});
  on.bind();
  const auto sent = on.begin("!000001").send.value();
  auto done = erase(on);
  CHECK(done.more);
  int rounds = 1;
  for (; done.more && rounds < 9; ++rounds)
    done = erase(on, false);
  CHECK(rounds == 2);
  CHECK(on.row().audience == 0);
  CHECK(on.row().unbound == 0);
  CHECK(on.event("we_y").how == send_outcome::cancelled);
  // What is in flight is finished, the rest is not begun.
  CHECK(!on.begin("!000002").send);
  CHECK(on.outcome("we_0", "!000002") == send_outcome::cancelled);
  on.settle("!000001", sent);
  CHECK(on.outcome("we_0", "!000001") == send_outcome::delivered);
  // Used again it is a realm like any other.
  on.change({"!000002"});
  on.submit_one(offer("new"));
  on.bind();
  CHECK(on.send("!000002") == "we_new");
  CHECK(on.row().deleted_at == stored_time{});
}

TEST_CASE_TEMPLATE("realm: e17 a realm goes with the audience it was to get",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  replace_realm_audience half;
  half.realm = on.id;
  half.account = "@weir:x";
  half.rooms = shared{many_rooms(3'000)};
  half.mark = "half";
  auto reply = must(on.ask(operations::replace_audience, half));
  CHECK(reply.result == audience_result::more);
  auto done = erase(on);
  for (int rounds = 0; done.more && rounds < 9; ++rounds)
    done = erase(on, false);
  CHECK(!done.more);
  const auto row = on.row();
  CHECK(row.audience == 0);
  CHECK(must(on.where.connect_reader()->realms().audience(
               row.no, row.audience_version, "", 10))
          .empty());
  half.begins = false;
  half.after = reply.last;
  reply = must(on.ask(operations::replace_audience, half));
  CHECK(reply.result == audience_result::busy);
  CHECK(on.row().deleted_at != stored_time{});
}
