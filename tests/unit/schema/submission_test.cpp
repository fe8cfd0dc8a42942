#include "schema/hash.hpp"
#include "schema/limits.hpp"
#include "schema/submission.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace weir;

namespace {

/// `count` items with the orderings from `first` on.
std::string items(size_t count, uint64_t first = 1) {
  std::string body;
  for (size_t i = 0; i < count; ++i)
    body += fmt::format(R"({}{{"stream_ordering":{},"event":{{}}}})",
                        i == 0 ? "" : ",", first + i);
  return body;
}

std::string with_ordering(const std::string& raw) {
  return R"({"events":[{"event":{},"stream_ordering":)" + raw + "}]}";
}

error wrong_with(const std::string& body) {
  const auto sliced = slice_submission(body);
  REQUIRE_FALSE(sliced);
  return sliced.error();
}

} // namespace

TEST_CASE("submission: events keep their bytes and have their orderings") {
  const auto sliced = slice_submission(
    R"({ "x":{}, "events" : [ {"event": )"
    R"({ "event_id":"$\u0061","n":-0,"n":1e10 },)"
    R"("stream_ordering": 9223372036854775807, "y":[1]},)"
    R"({"stream_ordering":0,"event":{"s":"\ud800"}} ],"x":2 })");
  REQUIRE(sliced);
  const auto& content = sliced.value();
  CHECK(content.orderings == std::vector<uint64_t>{INT64_MAX, 0});
  REQUIRE(content.elements.size() == 2);
  CHECK(content.elements[0].bytes
        == R"({ "event_id":"$\u0061","n":-0,"n":1e10 })");
  CHECK(content.elements[0].event_id == "$a");
  CHECK(content.elements[0].id_hash == sha256_head("$a"));
  CHECK(content.elements[1].bytes == R"({"s":"\ud800"})");
  CHECK(content.elements[1].id_hash == sha256_head(R"({"s":"\ud800"})"));
  for (const auto& each : content.elements) {
    CHECK(each.kind == lane::event);
    CHECK(each.keys.empty());
  }
  CHECK(content.repeated == 0);
}

TEST_CASE("submission: of equal orderings the first counts") {
  const auto sliced
    = slice_submission(R"({"events":[{"stream_ordering":7,"event":{"a":1}},)"
                       R"({"stream_ordering":7,"event":{"a":2}},)"
                       R"({"stream_ordering":7,"event":{"a":3}}]})");
  REQUIRE(sliced);
  REQUIRE(sliced.value().elements.size() == 1);
  CHECK(sliced.value().elements[0].bytes == R"({"a":1})");
  CHECK(sliced.value().repeated == 2);
}

TEST_CASE("submission: an ordering is an integer from 0 to 2^63 - 1") {
  const std::vector<std::pair<std::string, std::string>> wrong{
    {"-1", "stream_ordering is negative"},
    {"-0", "stream_ordering is negative"},
    {"1.0", "stream_ordering is no integer"},
    {"1e3", "stream_ordering is no integer"},
    {"\"1\"", "stream_ordering is no integer"},
    {"null", "stream_ordering is no integer"},
    {"[]", "stream_ordering is no integer"},
    {"-1.5", "stream_ordering is no integer"},
    {"9223372036854775808", "stream_ordering is beyond 2^63 - 1"},
    {"18446744073709551616", "stream_ordering is beyond 2^63 - 1"},
  };
  for (const auto& one : wrong) {
    CAPTURE(one.first);
    const auto told = wrong_with(with_ordering(one.first));
    CHECK(told.code == ec::bad_json);
    CHECK(told.context == "events[0]: " + one.second);
  }
  CHECK(slice_submission(with_ordering("9223372036854775807")));
}

TEST_CASE("submission: what is wrong is told with its place") {
  const std::vector<std::pair<std::string, std::string>> wrong{
    {"[]", "the body is not an object"},
    {"{}", "events is missing"},
    {R"({"events":{}})", "events is not a list"},
    {R"({"events":[],"e\u0076ents":[]})", "events is there twice"},
    {R"({"events":[)" + items(2) + ",3]}", "events[2]: not an object"},
    {R"({"events":[{"event":{}}]})", "events[0]: stream_ordering is missing"},
    {R"({"events":[{"stream_ordering":1}]})", "events[0]: event is missing"},
    {R"({"events":[)" + items(1) + R"(,{"stream_ordering":2,"event":[]}]})",
     "events[1]: event is not an object"},
    {R"({"events":[{"stream_ordering":1,"event":{},"event":{}}]})",
     "events[0]: event is there twice"},
    {R"({"events":[{"stream_ordering":1,"event":{},"stream_ordering":2}]})",
     "events[0]: stream_ordering is there twice"},
    // The first is told.
    {R"({"events":[1,{"event":{}}]})", "events[0]: not an object"},
  };
  for (const auto& one : wrong) {
    CAPTURE(one.first);
    const auto told = wrong_with(one.first);
    CHECK(told.code == ec::bad_json);
    CHECK(told.context == one.second);
  }
}

TEST_CASE("submission: what is no JSON is told as that") {
  for (const auto* body :
       {"", "{", R"({"events":[{"stream_ordering":1,"event":{"a":}}]})",
        R"({"events":[]} x)", R"({"events":[{"stream_ordering":01}]})",
        // Also behind what is of another shape.
        R"({"events":[1,})"})
    CHECK_MESSAGE(wrong_with(body).code == ec::not_json, body);
}

TEST_CASE("submission: a request holds so many events and no more") {
  const auto most = limits::submission_events_max;
  const auto full = slice_submission(R"({"events":[)" + items(most) + "]}");
  REQUIRE(full);
  CHECK(full.value().orderings.size() == most);
  const auto told = wrong_with(R"({"events":[)" + items(most + 1) + "]}");
  CHECK(told.code == ec::too_large);
  CHECK(told.context
        == fmt::format("{} events, at most {} go into one request", most + 1,
                       most));
}
