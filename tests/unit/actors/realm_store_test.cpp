#include "tests/support/actors/realm_helper.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

begin_realm_send begin_of(const std::string& room) {
  return {{"r"}, {room}, false, {}};
}

settle_realm_send delivered(const std::string& room, const owed_send& sent) {
  settle_realm_send what;
  what.realm = {"r"};
  what.seq = sent.seq;
  what.room = {room};
  what.txn = sent.txn;
  what.remote_id = "$" + sent.event_id;
  return what;
}

realm_bound bind(actor_fixture& on) {
  return write<realm_bound>(
    on,
    bind_realm_event{{"r"}, realm_ordering::room, milliseconds{0}, true, {}});
}

} // namespace

TEST_CASE("store writer: a realm's event is taken in, bound, sent and over") {
  actor_fixture fixture;
  fixture.start();
  CHECK(change_audience(fixture, "r", {"!a", "!b"}).rooms == 2);
  const auto taken = submit(fixture, "r", {realm_event("1"), realm_event("2")});
  CHECK(taken.offers.at(1).result == offer_result::queued);
  CHECK(taken.at.pos > 0);
  CHECK(bind(fixture).lanes.size() == 2);
  const auto page = write<realm_page>(fixture, list_realms{0, true, instant{}});
  CHECK(page.realms.at(0).unsettled == 2);
  const auto loaded
    = write<realm_loaded>(fixture, load_realm{{"r"}, "", instant{}});
  CHECK(loaded.account == "@weir:x");
  CHECK(loaded.lanes.size() == 2);
}

TEST_CASE("store writer: what ends and what begins of a realm is one commit") {
  actor_fixture fixture;
  fixture.start();
  change_audience(fixture, "r", {"!a", "!b"});
  submit(fixture, "r", {realm_event("1")});
  bind(fixture);
  submit(fixture, "r", {realm_event("2")});
  work_realm both;
  both.realm = {"r"};
  both.begins = {begin_of("!a"), begin_of("!b")};
  const auto begun = write<realm_worked>(fixture, both);
  REQUIRE(begun.begins.size() == 2);
  REQUIRE(begun.begins[0].send);
  const auto& sent = *begun.begins[0].send;
  CHECK(sent.event_id == "we_1");
  CHECK(sent.content == R"({"key":"1"})");

  work_realm next;
  next.realm = {"r"};
  next.settles
    = {delivered("!a", sent), delivered("!b", *begun.begins[1].send)};
  next.begins = {begin_of("!a")};
  const auto done = write<realm_worked>(fixture, next);
  CHECK(done.settles.at(0).not_current == false);
  CHECK(done.settles.at(1).event_over);
  CHECK(!done.begins.at(0).send); // The second is not bound yet.
  CHECK(done.news.unsettled == 0);
  CHECK(done.news.unbound == 1);
  REQUIRE(done.news.left.size() == 1);
  CHECK(done.news.left[0].bytes > 0);
}

TEST_CASE("store writer: what a try came to is there for the next") {
  actor_fixture fixture;
  fixture.start();
  change_audience(fixture, "r", {"!a"});
  submit(fixture, "r", {realm_event("1")});
  bind(fixture);
  work_realm first;
  first.realm = {"r"};
  first.begins = {begin_of("!a")};
  const auto sent = write<realm_worked>(fixture, first).begins.at(0).send;
  REQUIRE(sent);
  work_realm again = first;
  again.tries = {{{"r"},
                  sent->seq,
                  {"!a"},
                  sent->txn,
                  3,
                  true,
                  "unknown",
                  milliseconds{700},
                  {}}};
  const auto second = write<realm_worked>(fixture, again).begins.at(0).send;
  REQUIRE(second);
  CHECK(second->attempts == 3);
  CHECK(second->may_be_stored);
  CHECK(second->rest == milliseconds{700});
  CHECK(second->txn == sent->txn);
}

TEST_CASE("store writer: an account's pause and hold are kept") {
  actor_fixture fixture;
  fixture.start();
  write<stored>(fixture,
                store_account_pause{"@weir:x", milliseconds{5'000},
                                    pause_cause::peer, instant{}});
  write<stored>(fixture,
                hold_account{"@weir:x", "user_locked", "D", instant{}});
  fixture.advance(std::chrono::seconds{2});
  const auto found
    = write<account_loaded>(fixture, load_account{"@weir:x", instant{}});
  CHECK(found.rest == milliseconds{3'000});
  CHECK(found.paused_by == pause_cause::peer);
  CHECK(found.held_cause == "user_locked");
  CHECK(found.device == "D");
}

TEST_CASE("transport: all lanes of a kind are closed before it says so") {
  actor_fixture fixture;
  fixture.start();
  fixture.network.script = [](const http_request&) { return silence(); };
  fixture.network.closes_on_abort = false;
  size_t ended = 0;
  const auto send = [&](uint64_t id, const std::string& lane) {
    fixture.as_actor([&, id, lane](caf::event_based_actor& self) {
      self
        .request(fixture.house().transport, std::chrono::minutes{10},
                 send_http{id, lane, {}})
        .then([&](const http_answer&) { ++ended; }, [](const caf::error&) {});
    });
    fixture.run();
  };
  send(901, "realms/a");
  send(902, "realms/b");
  send(903, "realms/b"); // Waits for the end of the one before.
  send(904, "irc");
  bool closed = false;
  fixture.as_actor([&](caf::event_based_actor& self) {
    self
      .request(fixture.house().transport, std::chrono::minutes{10},
               abort_lanes{"realms/"})
      .then([&](const http_aborted&) { closed = true; },
            [](const caf::error&) {});
  });
  fixture.run();
  CHECK_FALSE(closed);
  CHECK(ended == 1); // What had not left.
  fixture.network.close_aborted();
  fixture.run();
  CHECK(closed);
  CHECK(ended == 3);
  CHECK(fixture.network.open_now() == 1);
}
