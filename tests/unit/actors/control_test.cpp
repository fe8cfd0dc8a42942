#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const std::string irc = "http://irc";

queue_command order(queue_verb verb, const std::string& txn = {},
                    bool force = false) {
  return {{"irc"}, verb, "ada", "why", {txn}, force};
}

/// Gives a command and lets everything settle.
expected<command_done> told(actor_fixture& on, const queue_command& what) {
  const auto asked = on.command(what);
  on.run();
  REQUIRE(asked->answers == 1);
  return *asked->answer;
}

command_result result_of(actor_fixture& on, const queue_command& what) {
  const auto done = told(on, what);
  REQUIRE(done);
  return done.value().result;
}

size_t sends(actor_fixture& on) {
  return on.network.sent_to(irc).size();
}

size_t letters(actor_fixture& on) {
  return on.database.copy()->letters.size();
}

/// Starts, hands one event in, and answers the transaction it is sent in.
std::string first_pinned(actor_fixture& on) {
  on.start();
  on.offer("irc", "1");
  on.run();
  return on.row("irc").pinned->id.value;
}

} // namespace

TEST_CASE("control: a paused queue takes in and sends nothing") {
  actor_fixture on;
  on.start();
  CHECK(result_of(on, order(queue_verb::pause)) == command_result::done);
  CHECK(result_of(on, order(queue_verb::pause)) == command_result::already);
  const auto taken = on.offer("irc", "1");
  on.advance(minutes{10});
  CHECK(taken->answer->has_value());
  CHECK(sends(on) == 0);
  CHECK(result_of(on, order(queue_verb::retry, {}, true))
        == command_result::paused);
  CHECK(result_of(on, order(queue_verb::resume)) == command_result::done);
  CHECK(sends(on) == 1);
  CHECK(result_of(on, order(queue_verb::resume)) == command_result::already);
}

TEST_CASE("control: a pause lasts over restarts of everything") {
  actor_fixture on;
  on.start();
  result_of(on, order(queue_verb::pause));
  on.offer("irc", "1");
  on.run();
  on.kill("directory");
  on.advance(minutes{1});
  on.kill("store_writer");
  on.advance(minutes{1});
  on.stop();
  on.start();
  on.advance(minutes{1});
  CHECK(sends(on) == 0);
  result_of(on, order(queue_verb::resume));
  CHECK(sends(on) == 1);
}

TEST_CASE("control: what is in flight at a pause is finished and settled") {
  actor_fixture on;
  on.network.script = [](const http_request&) {
    auto reply = status(200);
    reply.after = seconds{3};
    return reply;
  };
  on.start();
  on.offer("irc", "1");
  on.offer("irc", "2");
  on.run();
  const auto done = told(on, order(queue_verb::pause));
  CHECK(done.value().sending);
  on.advance(minutes{1});
  CHECK(sends(on) == 1);
  CHECK(on.row("irc").delivered_transactions == 1);
  CHECK(on.row("irc").pinned);
}

TEST_CASE("control: a retry does not wait for our own back-off") {
  actor_fixture on;
  bool refuses = true;
  on.network.script
    = [&](const http_request&) { return status(refuses ? 503 : 200); };
  on.start();
  on.offer("irc", "1");
  on.advance(minutes{3});
  refuses = false;
  const auto before = sends(on);
  CHECK(result_of(on, order(queue_verb::retry)) == command_result::done);
  CHECK(sends(on) == before + 1);
  CHECK(on.row("irc").owed_events == 0);
  CHECK(result_of(on, order(queue_verb::retry))
        == command_result::nothing_owed);
  CHECK(on.database.copy()->commands.size() == 1);
}

TEST_CASE("control: a retry waits for what the bridge asked, without force") {
  actor_fixture on;
  on.network.script = [](const http_request&) {
    return status(429, {{"Retry-After", "600"}});
  };
  on.start();
  on.offer("irc", "1");
  on.run();
  REQUIRE(sends(on) == 1);
  const auto refused = told(on, order(queue_verb::retry));
  CHECK(refused.value().result == command_result::bridge_asked);
  CHECK(refused.value().until == on.row("irc").not_before);
  on.advance(minutes{1});
  CHECK(sends(on) == 1);
  CHECK(result_of(on, order(queue_verb::retry, {}, true))
        == command_result::done);
  CHECK(sends(on) == 2);
}

TEST_CASE("control: a retry while one is sent is that one") {
  actor_fixture on;
  on.network.script = [](const http_request&) { return silence(); };
  on.start();
  on.offer("irc", "1");
  on.run();
  const auto done = told(on, order(queue_verb::retry));
  CHECK(done.value().result == command_result::already);
  CHECK(done.value().sending);
}

TEST_CASE("control: a skip keeps its elements and sends the next") {
  actor_fixture on;
  on.network.script = [](const http_request&) { return status(503); };
  on.start();
  on.offer("irc", "1", 3);
  on.run();
  on.offer("irc", "2");
  on.run();
  const auto pinned = on.row("irc").pinned->id.value;
  CHECK(result_of(on, order(queue_verb::skip, "other-7"))
        == command_result::not_current);
  CHECK(letters(on) == 0);
  const auto before = sends(on);
  const auto done = told(on, order(queue_verb::skip, pinned));
  CHECK(done.value().result == command_result::done);
  CHECK(done.value().elements == 3);
  CHECK(done.value().current == on.row("irc").pinned->id);
  CHECK(letters(on) == 3);
  CHECK(sends(on) == before + 1);
  CHECK(txn_of(on.network.sent_to(irc).back().request) != pinned);
  CHECK(result_of(on, order(queue_verb::skip, pinned))
        == command_result::not_current);
}

TEST_CASE("control: what comes in during a skip that does nothing is sent") {
  actor_fixture on;
  on.start();
  on.offer("irc", "1");
  on.run();
  on.command(order(queue_verb::skip, "of-before"));
  on.offer("irc", "2");
  on.run();
  CHECK(sends(on) == 2);
}

TEST_CASE("control: a skip waits for a send, which may be a delivery") {
  actor_fixture on;
  on.network.script = [](const http_request&) {
    auto reply = status(200);
    reply.after = seconds{3};
    return reply;
  };
  const auto pinned = first_pinned(on);
  const auto asked = on.command(order(queue_verb::skip, pinned));
  on.advance(seconds{2});
  CHECK(asked->answers == 0);
  on.advance(seconds{2});
  REQUIRE(asked->answers == 1);
  CHECK(asked->answer->value().result == command_result::delivered);
  CHECK(letters(on) == 0);
  CHECK(on.row("irc").delivered_transactions == 1);
}

TEST_CASE("control: a skip gives up a send that takes too long") {
  actor_fixture on;
  on.network.script = [](const http_request&) { return silence(); };
  on.start();
  on.offer("irc", "1");
  on.run();
  on.offer("irc", "2");
  on.run();
  const auto pinned = on.row("irc").pinned->id.value;
  const auto asked = on.command(order(queue_verb::skip, pinned));
  on.advance(seconds{6});
  REQUIRE(asked->answers == 1);
  CHECK(asked->answer->value().result == command_result::done);
  CHECK(letters(on) == 1);
  CHECK(on.network.open_most() == 1);
  CHECK(sends(on) == 2);
}

TEST_CASE("control: a skip whose send cannot be ended changes nothing") {
  actor_fixture on;
  on.network.closes_on_abort = false;
  on.network.script = [](const http_request&) { return silence(); };
  const auto pinned = first_pinned(on);
  const auto asked = on.command(order(queue_verb::skip, pinned));
  on.advance(seconds{25});
  REQUIRE(asked->answers == 1);
  CHECK(asked->answer->value().result == command_result::in_flight);
  CHECK(asked->answer->value().current.value == pinned);
  on.network.close_aborted();
  on.advance(seconds{1});
  CHECK(letters(on) == 0);
  CHECK(on.row("irc").pinned->id.value == pinned);
  CHECK(asked->answers == 1);
}

TEST_CASE("control: a skip ends first what a queue before it has sent") {
  actor_fixture on;
  on.network.closes_on_abort = false;
  on.network.script = [](const http_request&) { return silence(); };
  const auto pinned = first_pinned(on);
  CHECK(result_of(on, order(queue_verb::pause)) == command_result::done);
  on.kill("directory"); // Its queues end with it, the send does not.
  on.advance(seconds{2});
  const auto asked = on.command(order(queue_verb::skip, pinned));
  on.advance(seconds{1});
  CHECK(asked->answers == 0);
  CHECK(letters(on) == 0);
  on.network.close_aborted();
  on.advance(seconds{1});
  REQUIRE(asked->answers == 1);
  CHECK(asked->answer->value().result == command_result::done);
  CHECK(letters(on) == 1);
  CHECK(sends(on) == 1);
}

TEST_CASE("control: a paused queue can be skipped, and stays paused") {
  actor_fixture on;
  on.start();
  result_of(on, order(queue_verb::pause));
  on.offer("irc", "1");
  on.run();
  const auto pinned = on.row("irc").pinned->id.value;
  CHECK(result_of(on, order(queue_verb::skip, pinned)) == command_result::done);
  on.offer("irc", "2");
  on.advance(minutes{1});
  CHECK(letters(on) == 1);
  CHECK(sends(on) == 0);
}

TEST_CASE("control: a command while the store is away is done or is not") {
  for (const auto verb : {queue_verb::pause, queue_verb::retry}) {
    CAPTURE(to_string(verb));
    actor_fixture on;
    on.network.script = [](const http_request&) { return status(503); };
    on.start();
    on.offer("irc", "1");
    on.advance(minutes{1});
    on.database.set_away(true);
    const auto asked = on.command(order(verb));
    on.advance(minutes{1});
    REQUIRE(asked->answers == 1);
    CHECK(asked->answer->error().code == ec::unavailable);
    CHECK(on.database.copy()->commands.empty());
    CHECK_FALSE(on.row("irc").halted);
    on.database.set_away(false);
    const auto before = sends(on);
    on.advance(minutes{15});
    CHECK(sends(on) > before);
  }
}

TEST_CASE("control: a pause whose commit is in doubt is as the store says") {
  for (const auto how : {connection_loss::at_commit_stored,
                         connection_loss::at_commit_not_stored}) {
    actor_fixture on;
    on.start();
    on.database.lose_connection(how);
    const auto done = told(on, order(queue_verb::pause));
    on.offer("irc", "1");
    on.advance(minutes{1});
    CHECK(sends(on) == (on.row("irc").halted ? 0 : 1));
    CHECK(done.has_value() == on.row("irc").halted.has_value());
  }
}

TEST_CASE("control: a writer that ends leaves a command answered") {
  actor_fixture on;
  on.network.script = [](const http_request&) { return status(503); };
  const auto pinned = first_pinned(on);
  const auto asked = on.command(order(queue_verb::skip, pinned));
  on.step();
  on.step();
  on.kill("store_writer");
  on.advance(minutes{1});
  REQUIRE(asked->answers == 1);
  CHECK(letters(on) == on.database.copy()->commands.size());
}

TEST_CASE("control: commands are refused in a drain, those that wait too") {
  actor_fixture on;
  on.network.script = [](const http_request&) { return silence(); };
  const auto pinned = first_pinned(on);
  const auto waits = on.command(order(queue_verb::skip, pinned));
  on.run();
  on.drain();
  on.run();
  REQUIRE(waits->answers == 1);
  CHECK(waits->answer->value().result == command_result::draining);
  CHECK(result_of(on, order(queue_verb::pause)) == command_result::draining);
  CHECK_FALSE(on.row("irc").halted);
}

TEST_CASE("control: only what is sent something takes commands") {
  auto silent = bridge("quiet");
  silent.peer.url.clear();
  actor_fixture on{{bridge("irc"), silent}};
  on.start();
  for (const std::string id : {"quiet", "nobody"}) {
    auto what = order(queue_verb::pause);
    what.appservice = {id};
    CHECK(result_of(on, what) == command_result::not_served);
  }
}

TEST_CASE("control: too many commands that wait are refused") {
  actor_fixture on;
  on.network.script = [](const http_request&) { return silence(); };
  on.start();
  on.offer("irc", "1");
  on.run();
  for (int each = 0; each < 16; ++each)
    on.command(order(queue_verb::skip, "other-1"));
  on.run();
  CHECK(result_of(on, order(queue_verb::skip, "other-1"))
        == command_result::busy);
}

TEST_CASE("control: a slow send is told of, and its end") {
  actor_fixture on;
  on.network.script = [](const http_request&) {
    auto reply = status(200);
    reply.after = seconds{30};
    return reply;
  };
  on.start();
  on.offer("irc", "1");
  on.advance(seconds{10});
  REQUIRE(on.status_row("irc"));
  const auto since = on.status_row("irc")->sending_since;
  CHECK(since != stored_time{});
  on.advance(minutes{1});
  CHECK(on.status_row("irc")->sending_since == stored_time{});
}
