#include "actors/operations/realm_control.hpp"
#include "actors/operations/realm_upkeep.hpp"
#include "tests/unit/operations/realm_fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

template <class Where>
realm_expired expire(realm_house<Where>& on) {
  auto done = must(on.ask(operations::expire, expire_realm{on.id, {}}));
  on.check_sums();
  return done;
}

template <class Where>
realm_forgotten forget(realm_house<Where>& on) {
  return must(on.ask(operations::forget_some, forget_realm{on.id, {}}));
}

realm_offer until(const std::string& key, milliseconds expires_in,
                  realm_class of = realm_class::progress) {
  auto what = offer(key, R"({"a":1})", of);
  what.expires_in = expires_in;
  return what;
}

} // namespace

TEST_CASE_TEMPLATE(
  "realm: d15 what is queued too long expires, not a completion", Where,
  WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  on.submit({until("1", 1min), until("2", 1min, realm_class::completion),
             until("3", 2min, realm_class::lossy), offer("4")});
  CHECK(expire(on).events == 0);
  on.later = 61s;
  const auto done = expire(on);
  CHECK(done.events == 1);
  CHECK(!done.more);
  CHECK(done.news.left.size() == 1);
  CHECK(on.event("we_1").how == send_outcome::expired);
  on.later = 3min;
  CHECK(expire(on).events == 1);
  CHECK(on.event("we_2").state == realm_event_state::queued);
  CHECK(on.event("we_4").state == realm_event_state::queued);
}

TEST_CASE_TEMPLATE("realm: d9 old sends are uncertain without their turn",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit_one(offer("1"));
  on.bind();
  on.send("!b");
  on.later = 22h;
  CHECK(expire(on).sends == 0);
  on.submit_one(offer("2"));
  on.bind();
  on.later = 24h;
  CHECK(expire(on).sends == 1);
  CHECK(on.outcome("we_1", "!a") == send_outcome::uncertain);
  CHECK(on.outcome("we_2", "!a") == send_outcome::none);
  CHECK(on.event("we_1").state == realm_event_state::over);
}

TEST_CASE_TEMPLATE("realm: e22 a key is forgotten a day after its event", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  on.submit({offer("1"), offer("2"), replacing("3", "{}"),
             replacing("4", R"({"n":4})")});
  on.bind();
  on.send("!a", send_outcome::failed);
  on.bind();
  on.send("!a");
  on.later = 23h;
  CHECK(forget(on).rows == 0);
  on.later = 25h;
  // One delivered with its send, one merged; what is not over stays.
  CHECK(forget(on).rows == 3);
  CHECK(on.submit_one(offer("1")).result == offer_result::replayed);
  CHECK(on.submit_one(replacing("3", "{}")).result == offer_result::replayed);
  CHECK(on.submit_one(offer("2")).result == offer_result::queued);
  CHECK(on.row().dead_letters == 1);
  // A dead letter can be begun anew for a week.
  on.later = 8 * 24h;
  CHECK(forget(on).rows >= 2);
  CHECK(on.row().dead_letters == 0);
  CHECK(!must(on.where.connect_reader()->realms().event(on.row().no, "we_1")));
}

TEST_CASE_TEMPLATE("realm: e21 old subscriptions are forgotten when unused",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.subscribe_many(300);
  on.submit_one(offer("1"));
  on.bind();
  on.change({}, {"!000300"});
  // The event that is being bound reads on by its version.
  CHECK(forget(on).rows == 0);
  CHECK(on.bind().written == 100);
  CHECK(forget(on).rows == 1);
  CHECK(on.sends("we_1").size() == 300);
}

TEST_CASE_TEMPLATE("realm: e17 a realm that is gone leaves nothing", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  on.submit({offer("1"), offer("2")});
  on.bind();
  must(on.ask(operations::delete_some, delete_realm{on.id, true, "ada", {}}));
  CHECK(!on.begin("!a").send);
  CHECK(!forget(on).removed);
  on.later = 25h;
  CHECK(forget(on).removed);
  CHECK(!must(on.where.connect_reader()->realms().realm(on.id)));
  CHECK(on.submit_one(offer("1")).seq == 1);
}

TEST_CASE_TEMPLATE("realm: e17 a realm goes when its last room is forgotten",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.subscribe_many(1'200);
  auto done = must(
    on.ask(operations::delete_some, delete_realm{on.id, true, "ada", {}}));
  while (done.more)
    done = must(
      on.ask(operations::delete_some, delete_realm{on.id, false, "ada", {}}));
  const auto first = forget(on);
  CHECK(first.more);
  CHECK(!first.removed);
  const auto second = forget(on);
  CHECK(second.rows == 200);
  CHECK(second.removed);
}

TEST_CASE_TEMPLATE("realm: d5 another realm's lossy events make room", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.submit({offer("1", "{}", realm_class::lossy),
             offer("2", "{}", realm_class::lossy)});
  const drop_realm_lossy some{on.id, 600, {}};
  CHECK(must(on.ask(operations::drop_lossy, some)).events == 2);
  CHECK(must(on.ask(operations::drop_lossy, some)).events == 0);
  on.check_sums();
  // More than one commit may end: none goes for nothing.
  for (int round = 0; round < 2; ++round) {
    std::vector<realm_offer> many;
    for (int i = 0; i < 150; ++i)
      many.push_back(offer(std::to_string(1'000 * (round + 1) + i), "{}",
                           realm_class::lossy));
    on.submit(many);
  }
  const auto bytes = on.row().lossy_bytes;
  const drop_realm_lossy all{on.id, bytes, {}};
  CHECK(must(on.ask(operations::drop_lossy, all)).events == 0);
  CHECK(on.row().lossy_bytes == bytes);
}

TEST_CASE_TEMPLATE("realm: d7 what came of a try is there after a restart",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  on.submit_one(offer("1"));
  on.bind();
  const auto sent = on.begin("!a").send.value();
  note_realm_try note;
  note.realm = on.id;
  note.seq = 1;
  note.room = {"!a"};
  note.txn = sent.txn;
  note.attempts = 2;
  note.cause = "limited";
  note.rest = 30s;
  must(on.ask(operations::note_try, note));
  on.open();
  const auto again = on.begin("!a").send.value();
  CHECK(again.attempts == 2);
  CHECK(!again.may_be_stored);
  CHECK(again.rest > 20s);
  // Of another id it says nothing.
  note.txn = "other";
  note.attempts = 5;
  must(on.ask(operations::note_try, note));
  CHECK(on.sends("we_1")[0].attempts == 2);
}

TEST_CASE_TEMPLATE("realm: an actor begins with lanes by page", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  CHECK(!must(on.ask(operations::load_lanes, load_realm{on.id, {}, {}})).known);
  on.change(many_rooms(limits::realm_lanes_page + 2), {});
  on.submit_one(offer("1"));
  on.bind();
  auto page = must(on.ask(operations::load_lanes, load_realm{on.id, {}, {}}));
  CHECK(page.known);
  CHECK(page.account == "@weir:x");
  CHECK(page.lanes.size() == limits::realm_lanes_page);
  CHECK(page.more);
  page = must(on.ask(operations::load_lanes,
                     load_realm{on.id, page.lanes.back().room.value, {}}));
  CHECK(page.lanes.size() == 2);
  CHECK(!page.more);
  const auto work = must(on.ask(operations::list, list_realms{0, true, {}}));
  REQUIRE(work.realms.size() == 1);
  CHECK(work.last);
  CHECK(work.realms[0].open_bytes == limits::realm_event_overhead_bytes + 7);
}

TEST_CASE_TEMPLATE("realm: g7 an account's pause outlives a restart", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  const std::string id = "@weir:x";
  const auto load = [&] {
    return must(on.ask(operations::account, load_account{id, {}}));
  };
  CHECK(load().rest == 0ms);
  must(on.ask(operations::pause_account,
              store_account_pause{id, 60s, pause_cause::peer, {}}));
  must(on.ask(operations::hold, hold_account{id, "m_user_locked", "DEV", {}}));
  on.open();
  CHECK(load().rest > 50s);
  CHECK(load().paused_by == pause_cause::peer);
  CHECK(load().held_cause == "m_user_locked");
  must(on.ask(operations::hold, hold_account{id, "", "", {}}));
  must(on.ask(operations::pause_account,
              store_account_pause{id, 0s, pause_cause::none, {}}));
  CHECK(load().rest == 0ms);
  CHECK(load().held_cause.empty());
  CHECK(load().device == "DEV");
}
