#include "tests/trace/replay_helper.hpp"
#include "tests/trace/scenes.hpp"

#include "tests/support/source_dir.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

using namespace weir;
using namespace weir::test;

TEST_CASE("traces: an outage and the recovery from it") {
  replay("tests/traces/outage_and_recovery.jsonl");
}

TEST_CASE("traces: a crash between the bridge's 200 and the commit") {
  replay("tests/traces/crash_before_commit.jsonl");
}

TEST_CASE("traces: one poisonous event is found by bisection") {
  replay("tests/traces/poison_bisect.jsonl");
}

TEST_CASE("traces: a transaction that is too big is split") {
  replay("tests/traces/split_413.jsonl");
}

TEST_CASE("traces: a bridge that hangs on one event") {
  replay("tests/traces/hanging_bridge.jsonl");
}

TEST_CASE("traces: a drain with one in flight") {
  replay("tests/traces/drain.jsonl");
}

TEST_CASE("traces: a store that is away for a while") {
  replay("tests/traces/store_away.jsonl");
}

TEST_CASE("traces: an idle queue goes and comes back") {
  replay("tests/traces/idle_and_back.jsonl");
}

TEST_CASE("traces: an operator pauses, tries and skips") {
  replay("tests/traces/operator_at_work.jsonl");
}

TEST_CASE("traces: a dead letter comes back") {
  replay("tests/traces/letter_comes_back.jsonl");
}

TEST_CASE("traces: each is replayed by a case here, and what is played now "
          "replays too") {
  std::set<std::string> committed;
  for (const auto& each :
       std::filesystem::directory_iterator(source_dir() + "/tests/traces"))
    committed.insert(each.path().stem().string());
  for (const auto& scene : all_scenes()) {
    CAPTURE(scene.name);
    CHECK(committed.contains(scene.name));
    std::istringstream from{record(scene)};
    const auto played = trace::load(from);
    REQUIRE(played.has_value());
    const auto report = trace::replay(played.value());
    CHECK_MESSAGE(report.same(), trace::to_text(report));
  }
  CHECK(committed.size() >= 6);
}

namespace {

/// A committed trace whose queue was given another setting.
trace::replay_report replay_changed(const std::string& name,
                                    const std::string& where,
                                    const trace::json& value) {
  auto loaded
    = trace::load(source_dir() + "/tests/traces/" + name + ".jsonl").value();
  for (auto& each : loaded.records)
    if (each.kind == "start")
      each.body.at("arguments")[0].at(trace::json::json_pointer{where}) = value;
  return trace::replay(loaded);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("traces: a changed first pause fails a replay, readably") {
  const auto report = replay_changed("outage_and_recovery",
                                     "/settings/limits/pause/first", 1'500);
  CHECK(report.different());
  const auto text = trace::to_text(report);
  INFO(text);
  CHECK(has(text, "DIFFERENT     appservice/irc#"));
  CHECK(has(text, "http_answer answers"));
  CHECK(has(text, "in the trace:   timer pause_over in 1 s"));
  CHECK(has(text, "in the replay:  timer pause_over in 1500 ms"));
  CHECK(has(text, "/in_ns: 1000000000 in the trace, 1500000000 in the replay"));
  CHECK(has(text, "the messages before it:\n  0:00:00.000  appservice/irc#"));
}

TEST_CASE("traces: a changed bound of poison fails a replay, readably") {
  const auto report
    = replay_changed("poison_bisect", "/settings/limits/poison/rejections", 2);
  const auto text = trace::to_text(report);
  INFO(text);
  CHECK(report.different());
  CHECK(has(text, "in the replay:  request"));
  CHECK(has(text, "settle_transaction"));
  // Ten messages and no more.
  const auto before = text.substr(text.find("the messages before it:"));
  CHECK(std::count(before.begin(), before.end(), '\n') <= 11);
}
