#include "actors/trace/replay.hpp"
#include "tests/support/actors/actor_fixture.hpp"
#include "tests/trace/recording.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using outcome = trace::replayed_actor::outcome;

/// A house that has something to do for each of its actors.
trace::loaded_trace record_busy_house() {
  recording trace;
  actor_fixture fixture{{bridge("a"), bridge("b")}};
  fixture.config.make_ping = [](const appservice_id& id) {
    http_request ping;
    ping.method = "POST";
    ping.target = "/ping/" + id.value;
    ping.fields = {{"Authorization", "Bearer secret"}};
    return ping;
  };
  size_t asked = 0;
  fixture.network.script = [&](const http_request&) {
    auto reply = ++asked % 3 == 0 ? status(503) : status(200);
    reply.after = milliseconds{7};
    return reply;
  };
  fixture.start();
  for (int i = 0; i < 10; ++i) {
    (void)fixture.offer(i % 2 == 0 ? "a" : "b", std::to_string(i), 3);
    fixture.advance(milliseconds{400});
  }
  (void)fixture.queues();
  (void)fixture.ready();
  (void)fixture.quarantine("a", "no transaction");
  fixture.alive("a");
  fixture.advance(minutes{2});
  fixture.kill("store_writer");
  (void)fixture.offer("a", "last");
  fixture.advance(seconds{30});
  (void)fixture.drain();
  fixture.advance(seconds{30});
  fixture.stop();
  return trace.load();
}

std::map<std::string, outcome> by_kind(const trace::replay_report& report) {
  std::map<std::string, outcome> result;
  for (const auto& each : report.actors) {
    const auto kind = each.label.substr(0, each.label.find_first_of("/#"));
    auto& known = result.try_emplace(kind, each.result).first->second;
    if (each.result == outcome::different)
      known = each.result;
  }
  return result;
}

} // namespace

TEST_CASE("replay: every kind of actor does again what it did, or says why it "
          "is not asked to") {
  const auto report = trace::replay(record_busy_house());
  INFO(trace::to_text(report));
  CHECK(report.same());
  const auto kinds = by_kind(report);
  for (const std::string kind :
       {"appservice", "directory", "gateway", "transport", "janitor",
        "homeserver_pinger", "store_writer", "store_reader", "supervisor"}) {
    CAPTURE(kind);
    REQUIRE(kinds.contains(kind));
    CHECK(kinds.at(kind) == outcome::same);
  }
  for (const auto& each : report.actors)
    CHECK((each.result == outcome::same || !each.why.empty()));
}

TEST_CASE("replay: of an actor that ran before, it begins at its next start") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return status(503); };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{5});
  recording trace;
  fixture.advance(seconds{5});
  const auto queues = [&] {
    auto report = trace::replay(trace.load({{"appservice/irc"}, {}, {}, {}}));
    REQUIRE_FALSE(report.actors.empty());
    CHECK(report.actors[0].result == outcome::not_replayed);
    return report.actors;
  };
  CHECK(queues()[0].why.find("none in this trace") != std::string::npos);
  fixture.kill("directory"); // Its queues end with it.
  fixture.advance(seconds{5});
  const auto both = queues();
  REQUIRE(both.size() == 2);
  CHECK(both[0].why.ends_with("from its next start on: " + both[1].label));
  CHECK(both[1].result == outcome::same);
  CHECK(both[1].records > 1);
}

TEST_CASE("replay: the supervisor restarts a child where it did, and gives up "
          "when it did") {
  recording trace;
  actor_fixture fixture;
  fixture.start();
  for (int i = 0; i < 7; ++i) {
    fixture.kill(i % 2 == 0 ? "store_writer" : "transport");
    fixture.advance(seconds{2});
  }
  CHECK(fixture.give_ups > 0);
  fixture.stop();
  const auto report = trace::replay(trace.load({{"supervisor"}, {}, {}, {}}));
  INFO(trace::to_text(report));
  CHECK(report.same());
  REQUIRE(report.actors.size() == 1);
  CHECK(report.actors[0].records > 7);
}

TEST_CASE("replay: a child that is not known is a reason and no crash") {
  recording trace;
  actor_fixture fixture;
  fixture.start();
  fixture.stop();
  auto loaded = trace.load({{"supervisor"}, {}, {}, {}});
  loaded.records.at(0).body.at("arguments")[0].at("children")[0].at("name")
    = "nobody";
  const auto report = trace::replay(loaded);
  REQUIRE(report.actors.size() == 1);
  CHECK(report.actors[0].result == outcome::not_replayed);
  CHECK(report.actors[0].why.find("nobody") != std::string::npos);
}

TEST_CASE("replay: an interleaving by chance is replayed like any other") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    recording trace;
    std::mt19937_64 random{seed};
    actor_fixture fixture{{bridge("a"), bridge("b")}};
    fixture.network.script = [&](const http_request&) {
      const int codes[] = {200, 200, 200, 503, 500, 429, 400, 413};
      auto reply = status(codes[random() % 8]);
      reply.after = milliseconds{random() % 50};
      return reply;
    };
    fixture.shuffle(seed);
    fixture.start();
    for (int i = 0; i < 12; ++i) {
      (void)fixture.offer(i % 2 == 0 ? "a" : "b", std::to_string(i), 4);
      fixture.advance(milliseconds{random() % 2'000});
      if (i == 5) { // One is served in another way, one let go, one is new.
        auto moved = bridge("a");
        moved.hs_token = "another token";
        fixture.reload({moved, bridge("c")});
      }
      if (i == 9)
        fixture.reload({bridge("a"), bridge("b"), bridge("c")});
    }
    fixture.advance(minutes{5});
    fixture.stop();
    const auto report = trace::replay(trace.load());
    INFO(trace::to_text(report));
    CHECK(report.same());
  }
}
