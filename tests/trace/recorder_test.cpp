#include "actors/trace/hooks.hpp"
#include "actors/trace/recorder.hpp"
#include "tests/support/actors/actor_fixture.hpp"
#include "tests/trace/recording.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::seconds;
using trace::json;

std::vector<std::string> effects_of(const trace::record& record) {
  std::vector<std::string> result;
  for (const auto& each : record.effects())
    result.push_back(each.at("do").get<std::string>() + ' '
                     + each.value("type", "") + ' '
                     + each.value("to", each.value("actor", "")));
  return result;
}

} // namespace

TEST_CASE("trace: a queue's life is told message by message with its effects") {
  recording trace;
  {
    actor_fixture fixture;
    fixture.start();
    (void)fixture.offer("irc", "1", 2);
    fixture.advance(seconds{1});
  }
  const auto told = trace.of("appservice/irc");
  std::vector<std::string> steps;
  for (const auto& each : told)
    steps.push_back(each.step());
  CHECK(steps
        == std::vector<std::string>{"start", "wake", "queue_loaded",
                                    "http_answer", "transaction_settled",
                                    "tick", "stored", "caf::exit_msg", "end"});
  REQUIRE(told.size() == 9);
  CHECK(told[0].body.at("class") == "appservice_queue");
  CHECK(told[0].body.at("arguments").size() == 2);
  CHECK(effects_of(told[1]).front().starts_with("request load_queue store_wr"));
  // The answer names the effect that asked for it.
  CHECK(told[2].body.at("answers").at("record") == told[1].body.at("seq"));
  CHECK(told[2].body.at("answers").at("effect") == 0);
  CHECK(
    effects_of(told[2]).front().starts_with("request send_http transport#"));
}

TEST_CASE("trace: only the actors that are asked for are told") {
  recording trace{{.actors = {"directory", "appservice/*"}}};
  actor_fixture fixture{{bridge("a"), bridge("b")}};
  fixture.start();
  (void)fixture.offer("a", "1");
  (void)fixture.offer("b", "1");
  fixture.run();
  std::set<std::string> told;
  for (const auto& each : trace.load().records)
    told.insert(each.actor);
  CHECK(told
        == std::set<std::string>{"directory", "appservice/a", "appservice/b"});
}

TEST_CASE("trace: no token and no event body is told unless it is asked for") {
  const auto told = [](bool with_content) {
    recording trace{{.with_content = with_content}};
    actor_fixture fixture;
    fixture.start();
    (void)fixture.offer("irc", "1");
    fixture.advance(seconds{1});
    return trace.text();
  };
  const auto held_back = told(false);
  const auto whole = told(true);
  for (const std::string mark : {"token-of-irc", "m.room.message", "!r:x"}) {
    CAPTURE(mark);
    CHECK(held_back.find(mark) == std::string::npos);
    CHECK(whole.find(mark) != std::string::npos);
  }
}

TEST_CASE("trace: what is not traced costs nothing and tells nothing") {
  auto lines = std::make_shared<trace::memory_sink>();
  trace::start(lines, {});
  trace::stop();
  actor_fixture fixture;
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.run();
  CHECK(lines->lines().size() == 1); // The heading.
  CHECK_FALSE(trace::status().on);
}

TEST_CASE("trace: of a handler during which it ends nothing is told") {
  // What it does from then on is not seen, so half of it would be told.
  for (const bool begun_anew : {false, true}) {
    CAPTURE(begun_anew);
    auto lines = std::make_shared<trace::memory_sink>();
    trace::start(lines, {});
    trace::actor_trace actor;
    actor.name = "directory";
    {
      auto record = trace::record_scope::of_start(actor, 1, "directory", {});
      trace::stop();
      if (begun_anew)
        trace::start(lines, {});
      record.done();
    }
    CHECK(lines->lines().size() == (begun_anew ? 2 : 1)); // Headings.
    trace::stop();
  }
}

TEST_CASE("trace: memory keeps the last lines and says how many it has not") {
  trace::memory_sink lines{3};
  for (const std::string each : {"heading", "1", "2", "3", "4"})
    lines.take(each);
  CHECK(lines.lines()
        == std::vector<std::string>{"heading", trace::gap_line(2), "3", "4"});
}
