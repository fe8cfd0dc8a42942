#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/actors/planted_fault.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const std::string irc = "http://irc";

bool is_stored(const asked_ptr<expected<transaction_stored>>& offered) {
  return offered->answers == 1 && offered->answer->has_value();
}

ec error_of(const asked_ptr<expected<transaction_stored>>& offered) {
  if (offered->answers != 1 || offered->answer->has_value())
    return ec::none;
  return offered->answer->error().code;
}

std::string run_of(const sent_request& sent) {
  const auto id = txn_of(sent.request);
  return id.substr(0, id.find('-'));
}

} // namespace

TEST_CASE("writer: what a throw interrupts is tried again and stored") {
  actor_fixture fixture;
  fixture.start();
  const planted_fault fault{"writer_throw", 1};
  std::vector<asked_ptr<expected<transaction_stored>>> offers;
  for (int i = 0; i < 20; ++i)
    offers.push_back(fixture.offer("irc", std::to_string(i)));
  fixture.advance(seconds{1});
  CHECK(fault.left() == 0);
  CHECK(fixture.starts["store_writer"] == 2);
  for (const auto& each : offers)
    CHECK(is_stored(each));
  fixture.advance(seconds{2});
  CHECK(fixture.row("irc").delivered_events == 20);
}

TEST_CASE("writer: one that is ended is restarted and its peers are told") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    actor_fixture fixture;
    fixture.shuffle(seed);
    fixture.start();
    std::vector<asked_ptr<expected<transaction_stored>>> offers;
    for (int i = 0; i < 6; ++i) {
      offers.push_back(fixture.offer("irc", std::to_string(i)));
      for (uint64_t steps = seed % 11; steps > 0; --steps)
        (void)fixture.step();
      if (i == 3)
        fixture.kill("store_writer");
    }
    fixture.advance(seconds{2});
    for (const auto& each : offers)
      CHECK(is_stored(each));
    CHECK(fixture.row("irc").delivered_events == 6);
    CHECK(fixture.network.open_most() == 1);
  }
}

TEST_CASE("writer: a commit whose answer was lost is still woken for") {
  actor_fixture fixture;
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{6}); // Now a queue lives that knows of nothing owed.
  const planted_fault fault{"after_accept_commit", 1};
  const auto offered = fixture.offer("irc", "2");
  fixture.advance(seconds{1});
  CHECK(fault.left() == 0);
  CHECK(is_stored(offered));
  CHECK(fixture.network.sent_to(irc).size() == 2);
}

TEST_CASE("writer: one that was superseded ends and the next takes a new run") {
  actor_fixture fixture;
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.run();
  CHECK(fixture.database.connect()->take_slot(1, "other", 77).has_value());
  const auto offered = fixture.offer("irc", "2");
  fixture.advance(seconds{2});
  CHECK(is_stored(offered));
  CHECK(fixture.starts["store_writer"] == 2);
  const auto sent = fixture.network.sent_to(irc);
  REQUIRE(sent.size() == 2);
  CHECK(run_of(sent[0]) != run_of(sent[1]));
}

TEST_CASE(
  "writer: acceptance is not asked for twice when the commit was lost") {
  actor_fixture fixture;
  fixture.start();
  const planted_fault fault{"before_ack_commit", 1};
  (void)fixture.offer("irc", "1");
  (void)fixture.offer("irc", "2");
  fixture.advance(seconds{2});
  CHECK(fault.left() == 0);
  // The queue died between the bridge's answer and the commit: same id again.
  const auto sent = fixture.network.sent_to(irc);
  REQUIRE(sent.size() == 3);
  CHECK(sent[0].request.target == sent[1].request.target);
  CHECK(sent[0].request.body == sent[1].request.body);
  CHECK(fixture.row("irc").delivered_events == 2);
}

TEST_CASE("directory: a queue that throws is restarted alone") {
  actor_fixture fixture{{bridge("irc"), bridge("other")}};
  fixture.network.script = [](const http_request& request) {
    return request.peer.url == irc ? status(200) : silence();
  };
  fixture.start();
  (void)fixture.offer("other", "1");
  fixture.run();
  const planted_fault fault{"before_ack_commit", 1};
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{3});
  CHECK(fault.left() == 0);
  CHECK(fixture.row("irc").delivered_events == 1);
  CHECK(fixture.starts["directory"] == 1);
  CHECK(fixture.network.aborts() == 0); // The other was left in peace.
}

TEST_CASE("supervisor: it gives a crash loop up") {
  actor_fixture fixture;
  fixture.start();
  const planted_fault fault{"writer_throw", 1'000};
  const auto offered = fixture.offer("irc", "1");
  fixture.advance(seconds{20});
  CHECK(fixture.give_ups == 1);
  CHECK(fixture.starts["store_writer"] == 6); // The first, and five restarts.
  CHECK_FALSE(offered->answer);
  fixture.advance(seconds{30});
  CHECK(error_of(offered) == ec::unavailable);
}

TEST_CASE("supervisor: its own end by a fault is told like a crash loop") {
  actor_fixture fixture;
  bool broken = false;
  fixture.before_spawn = [&](const std::string&) {
    if (broken)
      throw std::runtime_error{"no thread"};
  };
  fixture.start();
  broken = true;
  fixture.kill("store_writer");
  const auto offered = fixture.offer("irc", "1");
  fixture.advance(seconds{60});
  CHECK(fixture.give_ups == 1);
  CHECK(error_of(offered) == ec::unavailable);
}

TEST_CASE("gateway: it holds what is offered while the store is away") {
  actor_fixture fixture;
  fixture.start();
  fixture.database.set_away(true);
  const auto offered = fixture.offer("irc", "1");
  SUBCASE("until the store is back") {
    fixture.advance(seconds{20});
    CHECK_FALSE(offered->answer);
    fixture.database.set_away(false);
    fixture.advance(seconds{1});
    CHECK(is_stored(offered));
    fixture.advance(seconds{1});
    CHECK(fixture.row("irc").delivered_events == 1);
  }
  SUBCASE("until the hold is over") {
    fixture.advance(milliseconds{44'700});
    CHECK_FALSE(offered->answer);
    fixture.advance(milliseconds{300});
    CHECK(error_of(offered) == ec::unavailable);
  }
}

TEST_CASE("gateway: what it holds is counted until it is answered") {
  actor_fixture fixture;
  const std::vector<appservice_id> ids{{"irc"}};
  fixture.settings.board = std::make_shared<bridge_board>(ids);
  const auto& board = *fixture.settings.board;
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.run();
  CHECK(board.held() == 0);
  fixture.database.set_away(true);
  (void)fixture.offer("irc", "2");
  (void)fixture.offer("irc", "3", 1, seconds{20});
  fixture.advance(seconds{10});
  CHECK(board.held() == 2);
  fixture.advance(seconds{10});
  CHECK(board.held() == 1);
  SUBCASE("by the store") {
    fixture.database.set_away(false);
    fixture.advance(seconds{1});
    CHECK(board.held() == 0);
  }
  SUBCASE("by its own end") {
    fixture.kill("gateway");
    fixture.run();
    CHECK(board.held() == 0);
  }
}

TEST_CASE("drain: who is held for a store that is away is told at once") {
  actor_fixture fixture;
  fixture.start();
  fixture.database.set_away(true);
  const auto held = fixture.offer("irc", "1");
  fixture.advance(seconds{1});
  CHECK_FALSE(held->answer);
  const auto drained = fixture.drain();
  fixture.run();
  CHECK(error_of(held) == ec::unavailable);
  CHECK(drained->answers == 1);
  const auto late = fixture.offer("irc", "2");
  fixture.run();
  CHECK(error_of(late) == ec::unavailable);
}

TEST_CASE("drain: what the store can take is still stored") {
  actor_fixture fixture;
  fixture.start();
  const auto before = fixture.offer("irc", "1");
  const auto drained = fixture.drain();
  const auto after = fixture.offer("irc", "2");
  fixture.run();
  CHECK(is_stored(before));
  CHECK(is_stored(after));
  CHECK(drained->answers == 1);
}

TEST_CASE("gateway: one that ends answers everything it was asked") {
  for (size_t steps = 0; steps < 12; ++steps) {
    CAPTURE(steps);
    actor_fixture fixture;
    fixture.network.script = [](const http_request&) { return silence(); };
    fixture.start();
    const auto offered = fixture.offer("irc", "1");
    const auto ready = fixture.ready();
    const auto queues = fixture.queues();
    http_request ping;
    ping.method = "POST";
    const auto answered = fixture.request(ping);
    for (size_t i = 0; i < steps; ++i)
      (void)fixture.step();
    fixture.kill("gateway");
    fixture.advance(seconds{1});
    CHECK(offered->answers == 1);
    CHECK(ready->answers == 1);
    CHECK(queues->answers == 1);
    CHECK(answered->answers == 1);
    const auto again = fixture.offer("irc", "2");
    fixture.run();
    CHECK(is_stored(again));
  }
}

TEST_CASE("gateway: the end of the house answers everything it was asked") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return silence(); };
  fixture.start();
  fixture.database.set_away(true);
  const auto held = fixture.offer("irc", "1");
  http_request ping;
  ping.method = "POST";
  const auto answered = fixture.request(ping);
  fixture.advance(seconds{1});
  const auto waiting = fixture.offer("irc", "2"); // In the mailbox.
  fixture.stop();
  CHECK(error_of(held) == ec::unavailable);
  CHECK(error_of(waiting) == ec::unavailable);
  REQUIRE(answered->answer);
  CHECK(answered->answer->failure == no_answer::aborted);
}

TEST_CASE("transport: one that ends is answered for and its lane goes on") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return silence(); };
  fixture.start();
  (void)fixture.offer("irc", "1");
  http_request ping;
  ping.method = "POST";
  const auto asked_for = fixture.request(ping);
  fixture.run();
  CHECK(fixture.network.open_now() == 2);
  fixture.kill("transport");
  fixture.run();
  CHECK(fixture.network.open_now() == 0);
  REQUIRE(asked_for->answer);
  CHECK(asked_for->answer->failure == no_answer::aborted);
  fixture.network.script = [](const http_request&) { return status(200); };
  fixture.advance(milliseconds{200});
  CHECK(fixture.row("irc").delivered_events == 1);
  CHECK(fixture.network.open_most() == 1);
}

TEST_CASE("transport: its end is no refusal of the bridge") {
  actor_fixture fixture;
  size_t sends = 0;
  fixture.network.script = [&](const http_request&) {
    const auto number = ++sends; // The third goes down with the transport.
    return number == 3 ? silence() : status(number < 5 ? 503 : 200);
  };
  fixture.start();
  (void)fixture.offer("irc", "1", 3);
  fixture.advance(milliseconds{3'500});
  SUBCASE("that is killed") {
    fixture.kill("transport");
  }
  SUBCASE("that is killed twice") {
    fixture.kill("transport");
    fixture.advance(milliseconds{200});
    CHECK(sends == 4);
    fixture.kill("transport"); // Nothing is open.
  }
  fixture.advance(minutes{1});
  // 1 s and 2 s before it, 4 s after: neither its end nor the wait counts.
  CHECK(fixture.network.times_to(irc)
        == std::vector<int64_t>{0, 1'000, 3'000, 3'700, 7'700});
  const auto sent = fixture.network.sent_to(irc);
  for (const auto& each : sent) {
    CHECK(each.request.target == sent[0].request.target);
    CHECK(each.request.body == sent[0].request.body);
  }
  CHECK(fixture.network.open_most() == 1);
  CHECK(fixture.row("irc").delivered_events == 3);
}

TEST_CASE("transport: one that ends with every send gives the others time") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return status(200); };
  fixture.start();
  const planted_fault fault{"after_send", 4};
  (void)fixture.offer("irc", "1");
  fixture.advance(minutes{1});
  CHECK(fault.left() == 0);
  CHECK(fixture.network.times_to(irc)
        == std::vector<int64_t>{0, 200, 600, 1'400, 3'000});
  CHECK(fixture.give_ups == 0);
  CHECK(fixture.row("irc").delivered_events == 1);
}

TEST_CASE("janitor: every slot beats while nothing else is written") {
  actor_fixture fixture;
  fixture.config.writers = 3;
  fixture.start();
  fixture.advance(seconds{1});
  const auto before = fixture.database.copy()->slots;
  CHECK(before.size() == 3);
  fixture.advance(seconds{20});
  const auto after = fixture.database.copy()->slots;
  for (const auto& each : after) {
    CAPTURE(each.first);
    CHECK(each.second.beat >= before.at(each.first).beat + 10);
  }
}

TEST_CASE(
  "pinger: each appservice is asked for once, when there is an answer") {
  auto nobody = bridge("nobody");
  nobody.peer.url.clear();
  actor_fixture fixture{{bridge("a"), bridge("b"), nobody}};
  std::vector<std::string> asked_for;
  fixture.config.make_ping = [&](const appservice_id& id) {
    asked_for.push_back(id.value);
    http_request request;
    request.method = "POST";
    request.peer.url = "http://homeserver";
    return request;
  };
  fixture.network.script
    = [](const http_request&) { return failure(no_answer::refused); };
  fixture.start();
  fixture.advance(seconds{10});
  CHECK(asked_for.size() >= 3);
  CHECK(asked_for.size() <= 5);
  CHECK(asked_for.back() == "a");
  asked_for.clear();
  fixture.network.script = [](const http_request&) { return status(502); };
  fixture.advance(minutes{60});
  CHECK(asked_for == std::vector<std::string>{"a", "b"});
}
