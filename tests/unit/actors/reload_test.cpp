#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const std::string irc = "http://irc";
const std::string slack = "http://slack";

std::string token_of(const http_request& request) {
  for (const auto& field : request.fields)
    if (field.name == "Authorization")
      return field.value;
  return {};
}

queue_settings with_token(queue_settings of, const std::string& token) {
  of.hs_token = token;
  return of;
}

/// Refuses every token but one.
std::function<scripted_reply(const http_request&)>
taking(const std::string& token) {
  return [wanted = "Bearer " + token](const http_request& request) {
    return status(token_of(request) == wanted ? 200 : 401);
  };
}

} // namespace

TEST_CASE("reload: the pinned transaction goes out at once with the new token, "
          "byte for byte") {
  actor_fixture on;
  on.network.script = taking("mended");
  on.start();
  on.offer("irc", "a", 2);
  on.advance(minutes{20});
  const auto before = on.network.sent_to(irc);
  REQUIRE(before.size() > 1);
  CHECK(on.status_row("irc")->state == "resting");

  on.reload({with_token(bridge("irc"), "mended")});
  on.run();
  const auto after = on.network.sent_to(irc);
  REQUIRE(after.size() == before.size() + 1);
  CHECK(after.back().at == on.elapsed());
  CHECK(txn_of(after.back().request) == txn_of(before.front().request));
  CHECK(after.back().request.body.view() == before.front().request.body.view());
  on.advance(seconds{5});
  CHECK(on.row("irc").owed_events == 0);
}

TEST_CASE("reload: a new url is where the pinned transaction goes, and a block "
          "ends") {
  auto strict = bridge("irc");
  strict.limits.dead_letter = false;
  strict.limits.poison.rejections = 1;
  actor_fixture on{{strict}};
  on.network.script = [](const http_request& request) {
    return status(request.peer.url == irc ? 400 : 200);
  };
  on.start();
  on.offer("irc", "a", 1);
  on.advance(seconds{5});
  CHECK(on.status_row("irc")->state == "blocked");
  auto moved = strict;
  moved.peer.url = slack;
  on.reload({moved});
  on.advance(seconds{1});
  CHECK(on.network.sent_to(slack).size() == 1);
  CHECK(on.row("irc").owed_events == 0);
}

TEST_CASE("reload: a stored pause ends too, of a queue that the store did not "
          "tell of yet") {
  actor_fixture on;
  on.network.script = taking("mended");
  on.start();
  on.offer("irc", "a");
  on.advance(minutes{20});
  const auto before = on.network.sent_to(irc).size();
  on.stop();
  on.database.set_away(true);
  on.start();
  on.advance(seconds{1});
  on.reload({with_token(bridge("irc"), "mended")});
  on.advance(seconds{1});
  on.database.set_away(false);
  on.advance(seconds{2});
  CHECK(on.network.sent_to(irc).size() == before + 1);
  CHECK(on.row("irc").owed_events == 0);
}

TEST_CASE("reload: a pause that the bridge asked for holds") {
  actor_fixture on;
  on.network.script = [](const http_request& request) {
    return token_of(request) == "Bearer mended"
      ? status(200)
      : status(429, {{"Retry-After", "60"}});
  };
  on.start();
  on.offer("irc", "a");
  on.run();
  on.reload({with_token(bridge("irc"), "mended")});
  on.advance(seconds{59});
  CHECK(on.network.sent_to(irc).size() == 1);
  on.advance(seconds{20});
  CHECK(on.network.sent_to(irc).size() == 2);
  CHECK(on.row("irc").owed_events == 0);
}

TEST_CASE("reload: a refusal of what went out by the old settings makes no "
          "pause") {
  actor_fixture on;
  on.network.script = [](const http_request& request) {
    auto reply = taking("mended")(request);
    reply.after = seconds{3};
    return reply;
  };
  on.start();
  on.offer("irc", "a");
  on.advance(seconds{1});
  on.reload({with_token(bridge("irc"), "mended")});
  on.advance(seconds{1});
  CHECK(on.network.sent_to(irc).size() == 1); // One in flight, whatever comes.
  on.advance(seconds{1});
  CHECK(on.network.times_to(irc) == std::vector<int64_t>{0, 3'000});
  on.advance(seconds{3});
  CHECK(on.row("irc").owed_events == 0);
  CHECK(on.network.open_most() == 1);
}

TEST_CASE("reload: a lone event was once buried by the third 400 of the bridge "
          "that was being replaced") {
  actor_fixture on;
  size_t refusals = 0;
  on.network.script = [&](const http_request& request) {
    auto reply = status(request.peer.url == irc ? 400 : 200);
    if (request.peer.url == irc && ++refusals == 3)
      reply.after = seconds{3};
    return reply;
  };
  on.start();
  on.offer("irc", "a", 1);
  while (refusals < 3)
    on.advance(seconds{1});
  on.advance(seconds{1});
  auto moved = bridge("irc");
  moved.peer.url = slack;
  on.reload({moved});
  on.advance(seconds{5});
  const auto before = on.network.sent_to(irc);
  const auto after = on.network.sent_to(slack);
  REQUIRE(after.size() == 1);
  CHECK(txn_of(after.front().request) == txn_of(before.back().request));
  CHECK(on.row("irc").owed_events == 0);
  CHECK(on.database.copy()->letters.empty());
  CHECK(on.network.open_most() == 1);
}

TEST_CASE("reload: one that comes at any step of a settlement loses nothing") {
  size_t buried = 0;
  constexpr size_t seeds = 60;
  for (size_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    actor_fixture on;
    on.shuffle(seed);
    on.network.script = [](const http_request& request) {
      auto reply = status(request.peer.url == irc ? 413 : 200);
      reply.after = milliseconds{10};
      return reply;
    };
    on.start();
    on.offer("irc", "a", 1);
    on.run();
    on.move_clock(milliseconds{10});
    for (size_t i = 0; i < seed % 6; ++i)
      on.step();
    auto moved = bridge("irc");
    moved.peer.url = slack;
    on.reload({moved});
    on.advance(seconds{5});
    const auto letters = on.database.copy()->letters.size();
    CHECK(on.row("irc").owed_events == 0);
    CHECK(on.network.sent_to(slack).size() + letters == 1);
    buried += letters;
  }
  CHECK(buried > 0);
  CHECK(buried < seeds);
}

TEST_CASE("reload: one that is let go finishes what is in flight, and what it "
          "is owed waits for its return") {
  actor_fixture on{{bridge("irc"), bridge("slack")}};
  on.network.script = [](const http_request&) {
    auto reply = status(200);
    reply.after = seconds{3};
    return reply;
  };
  on.start();
  on.offer("irc", "a", 100);
  on.offer("irc", "b", 100);
  on.advance(seconds{1});
  on.reload({bridge("slack")});
  on.advance(minutes{5});
  CHECK(on.network.sent_to(irc).size() == 1);
  CHECK(on.row("irc").owed_events == 100); // The first was acknowledged.
  on.reload({bridge("irc"), bridge("slack")});
  on.advance(seconds{5});
  CHECK(on.network.sent_to(irc).size() == 2);
  CHECK(on.row("irc").owed_events == 0);
}

TEST_CASE("reload: one that comes back while it is let go has one transaction "
          "in flight") {
  actor_fixture on{{bridge("irc"), bridge("slack")}};
  on.network.script = [](const http_request&) {
    auto reply = status(200);
    reply.after = seconds{3};
    return reply;
  };
  on.start();
  on.offer("irc", "a", 100);
  on.offer("irc", "b", 100);
  on.advance(seconds{1});
  on.reload({bridge("slack")});
  on.run();
  on.reload({bridge("irc"), bridge("slack")});
  on.advance(seconds{20});
  CHECK(on.network.open_most() == 1);
  CHECK(on.network.sent_to(irc).size() == 2);
  CHECK(on.row("irc").owed_events == 0);
}

TEST_CASE("reload: one that is added is served, also by a directory that was "
          "restarted") {
  actor_fixture on;
  on.start();
  on.reload({bridge("irc"), bridge("slack")});
  on.run();
  on.kill("directory");
  on.run();
  on.offer("slack", "a");
  on.advance(seconds{1});
  CHECK(on.network.sent_to(slack).size() == 1);
}

TEST_CASE("reload: a directory that is restarted keeps to what was let go") {
  actor_fixture on{{bridge("irc"), bridge("slack")}};
  on.network.script = [](const http_request&) { return status(503); };
  on.start();
  on.offer("irc", "a");
  on.advance(seconds{1});
  on.reload({bridge("slack")});
  on.run();
  const auto sent = on.network.sent_to(irc).size();
  on.kill("directory");
  on.advance(minutes{20});
  CHECK(on.network.sent_to(irc).size() == sent);
}

TEST_CASE(
  "reload: the homeserver is asked to ping those that are added, once") {
  actor_fixture on;
  std::vector<std::string> pinged;
  on.config.make_ping = [&](const appservice_id& id) {
    pinged.push_back(id.value);
    http_request request;
    request.method = "POST";
    request.peer.url = "http://homeserver";
    request.target = "/ping";
    return request;
  };
  on.start();
  on.advance(seconds{1});
  on.reload({bridge("irc"), bridge("slack")});
  on.advance(seconds{1});
  on.reload({bridge("irc"), bridge("slack")});
  on.advance(minutes{1});
  CHECK(pinged == std::vector<std::string>{"irc", "slack"});
}
