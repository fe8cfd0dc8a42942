#include "actors/trace/reader.hpp"
#include "actors/trace/replay.hpp"
#include "actors/trace/show.hpp"
#include "tests/trace/scenes.hpp"

#include <doctest/doctest.h>

#include <random>
#include <sstream>

using namespace weir;
using namespace weir::test;

namespace {

const std::string heading = R"({"v":1,"kind":"trace"})";

std::string message(const std::string& actor, int64_t at,
                    const std::string& type = "tick") {
  return R"({"v":1,"kind":"message","seq":1,"actor":")" + actor
    + R"(","incarnation":1,"at":)" + std::to_string(at)
    + R"(,"message":{"type":")" + type + R"(","content":{}},"effects":[]})";
}

expected<trace::loaded_trace> read(const std::string& text,
                                   const trace::record_filter& filter = {}) {
  std::istringstream from{text};
  return trace::load(from, filter);
}

std::string refused(const std::string& text) {
  const auto loaded = read(text);
  return loaded ? std::string{} : loaded.error().context;
}

trace::loaded_trace recorded(size_t index) {
  return read(record(all_scenes()[index])).value();
}

} // namespace

TEST_CASE("trace reader: what is no trace is refused with its line") {
  CHECK(refused("") == "the trace is empty");
  CHECK(refused("{}\n").starts_with("line 1: expected version 1"));
  CHECK(refused("[1]\n") == "line 1: expected an object");
  CHECK(refused("nonsense\n").starts_with("line 1: "));
  CHECK(refused(message("a", 1) + "\n")
        == "line 1: a trace has one heading, at its head");
  CHECK(refused(heading + "\n" + heading + "\n").starts_with("line 2: "));
  CHECK(refused(R"({"v":2,"kind":"trace"})"
                "\n")
          .starts_with("line 1: expected version 1"));
  CHECK(refused(heading + "\n{\"v\":1,\"kind\":\"message\"}\n")
        == "line 2: no record of a trace");
  CHECK(refused(heading + "\n{\"v\":1,\"kind\":\"end\",\"at\":\"x\"}\n")
        == "line 2: a member of another type");
  for (const int64_t at : {int64_t{-1}, INT64_MIN, INT64_MAX})
    CHECK(refused(heading + "\n" + message("a", at) + "\n")
          == "line 2: no record of a trace");
  CHECK(refused(heading + "\n" + std::string(100, '[') + "\n")
          .starts_with("line 2: "));
  CHECK(refused(heading + "\n" + std::string(5'000'000, ' ') + "\n")
        == "line 2: a line that is too long");
}

TEST_CASE("trace reader: a last line that was cut off is left out and told") {
  const auto text = heading + "\n" + message("a", 1) + "\n" + message("a", 2);
  const auto whole = read(text + "\n").value();
  CHECK(whole.records.size() == 2);
  CHECK(whole.notes.empty());
  const auto cut = read(text.substr(0, text.size() - 10)).value();
  CHECK(cut.records.size() == 1);
  REQUIRE(cut.notes.size() == 1);
  CHECK(cut.notes[0].starts_with("line 3: cut off"));
}

TEST_CASE("trace reader: filters go by actor, time and text") {
  const auto text = heading + "\n" + message("appservice/a", 10) + "\n"
    + message("appservice/b", 20, "wake") + "\n" + message("directory", 30)
    + "\n";
  const auto count = [&](const trace::record_filter& filter) {
    return read(text, filter).value().records.size();
  };
  CHECK(count({}) == 3);
  CHECK(count({{"appservice/*"}, {}, {}, {}}) == 2);
  CHECK(count({{"directory#1"}, {}, {}, {}}) == 1);
  CHECK(count({{"directory#2"}, {}, {}, {}}) == 0);
  CHECK(count({{}, 20, {}, {}}) == 2);
  CHECK(count({{}, {}, 20, {}}) == 2);
  CHECK(count({{}, {}, {}, "\"wake\""}) == 1);
}

TEST_CASE("trace reader: a cut begins with the lives that it is about") {
  const auto whole = recorded(1); // Two lives.
  const auto second = whole.records.back().label();
  const auto late = whole.records.back().at_ns;
  const auto cut = trace::cut(whole, {{}, late, {}, {}});
  REQUIRE_FALSE(cut.records.empty());
  CHECK(cut.records.front().kind == "start");
  for (const auto& each : cut.records)
    CHECK(each.label() == second);
  const auto again = read(trace::to_text(cut));
  REQUIRE(again.has_value());
  CHECK(trace::replay(again.value()).same());
  // Up to a moment, the life may be unfinished.
  const auto early
    = trace::cut(whole, {{}, {}, whole.records.front().at_ns, {}});
  CHECK(early.records.size() < whole.records.size());
  CHECK(trace::replay(early).same());
}

TEST_CASE("trace reader: damaged traces are read or refused, and replayed or "
          "not, without harm") {
  std::mt19937_64 random{7};
  for (size_t index = 0; index < all_scenes().size(); index += 3) {
    const auto text = record(all_scenes()[index]);
    size_t read_ones = 0;
    for (int round = 0; round < 120; ++round) {
      auto damaged = text;
      for (size_t n = 1 + random() % 3; n > 0; --n) {
        const auto at = random() % damaged.size();
        switch (random() % 3) {
        case 0: damaged[at] = static_cast<char>(random()); break;
        case 1: damaged.erase(at, random() % 40); break;
        case 2: damaged.insert(at, damaged.substr(random() % 1'000, 30)); break;
        }
      }
      const auto loaded = read(damaged);
      if (!loaded)
        continue;
      ++read_ones;
      for (const auto& each : loaded.value().records)
        CHECK_FALSE(trace::show_record(each, 0).empty());
      CHECK_FALSE(trace::to_text(trace::replay(loaded.value())).empty());
    }
    CHECK(read_ones > 0);
  }
}

TEST_CASE("trace reader: lives without a start and behind gaps are told") {
  auto whole = recorded(0);
  auto headless = whole;
  headless.records.erase(headless.records.begin());
  const auto report = trace::replay(headless);
  REQUIRE(report.actors.size() == 1);
  CHECK(report.actors[0].result
        == trace::replayed_actor::outcome::not_replayed);
  CHECK(report.actors[0].why.find("before the trace began")
        != std::string::npos);
  CHECK_FALSE(report.same());

  trace::record gap;
  gap.kind = "gap";
  gap.body = trace::json{{"v", 1}, {"kind", "gap"}, {"dropped", 3}};
  whole.records.insert(whole.records.begin() + 4, gap);
  const auto short_report = trace::replay(whole);
  REQUIRE(short_report.actors.size() == 1);
  CHECK(short_report.same());
  CHECK(short_report.actors[0].records == 4);
  CHECK(short_report.actors[0].why.find("dropped") != std::string::npos);
}

TEST_CASE("trace reader: a value that was drawn and is not in the trace is "
          "told, and nothing is made in its place") {
  size_t tried = 0;
  for (size_t index = 0; index < all_scenes().size(); ++index) {
    auto whole = recorded(index);
    // The answers of the store to its writer are drawn.
    for (auto& each : whole.records)
      if (each.kind == "message" && each.body.contains("drawn")) {
        each.body.erase("drawn");
        const auto text = trace::to_text(trace::replay(whole));
        CAPTURE(text);
        CHECK(text.find("a drawn value is not in the trace") != text.npos);
        ++tried;
        break;
      }
  }
  CHECK(tried > 0);
}

TEST_CASE("trace show: times, delays and records as a person reads them") {
  CHECK(trace::show_time(0) == "0:00:00.000");
  CHECK(trace::show_time(3'723'004'000'000) == "1:02:03.004");
  CHECK(trace::show_time(-1'000'000) == "-0:00:00.001");
  CHECK(trace::show_delay(1'500'000'000) == "1500 ms");
  CHECK(trace::show_delay(900'000'000'000) == "15 min");
  CHECK(trace::show_delay(0) == "0 ns");
  const auto trace = recorded(0);
  std::string timeline;
  for (const auto& each : trace.records)
    timeline += trace::show_record(each, trace.records.front().at_ns);
  INFO(timeline);
  for (const std::string part :
       {"0:00:00.000  appservice/irc#", "start as appservice_queue",
        "    request 1 load_queue to store_writer/1#",
        "    timer pause_over in 1 s {\"armed\":1}", "http_answer answers 2 "})
    CHECK(timeline.find(part) != std::string::npos);
}

TEST_CASE("trace show: nothing in a trace speaks to the terminal") {
  const auto one = trace::parse_record(
    R"({"v":1,"kind":"message","actor":"a\u001b[1m","incarnation":1,"at":1,)"
    R"("from":"\u001b[2J","effects":[],)"
    R"("message":{"type":"tick","content":"\u001b]0;x\u0007"}})",
    1);
  REQUIRE(one.has_value());
  CHECK(trace::show_record(one.value(), 0).find('\x1b') == std::string::npos);
}
