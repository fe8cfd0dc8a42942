#include "http/cli/control_commands.hpp"
#include "tests/unit/http/fake_admin.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

using namespace weir;
using namespace weir::test;

namespace {

const std::string resting = R"({"id":"irc","state":"resting","depth_events":16,
  "depth_other":1,"oldest_age_ms":603000,"attempts":3,"pinned_txn":"8f-17",
  "since_ms":1767225500000,"last_error":"connect_refused",
  "last_error_at_ms":1767225598000,"last_error_text":"Connection refused",
  "next_at_ms":1767225612000,"sending_since_ms":0,
  "as_of_ms":1767225600000,"explanation":{"cause":"refused",
  "since_ms":1767225500000,
  "why":"The bridge took nothing just now (http_503).",
  "next":"The same transaction is sent again.",
  "todo":"Look at the bridge's log; weir retry tries now."}})";

size_t longest_line(const std::string& text) {
  size_t longest = 0;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    longest = std::max(longest, line.size());
  return longest;
}

/// Answers in turn, and then that nobody is there.
struct ending_weir {
  std::vector<int> in_flight;
  size_t asked = 0;

  admin_call call() {
    return
      [this](std::string_view, std::string_view) -> expected<admin_answer> {
        if (asked >= in_flight.size())
          return fail(ec::unavailable, "refused");
        return admin_answer{200,
                            R"({"draining":true,"in_flight":)"
                              + std::to_string(in_flight[asked++]) + "}"};
      };
  }
};

} // namespace

TEST_CASE("control CLI: an explanation fits a terminal") {
  fake_admin admin;
  admin.answer = admin_answer{200, resting};
  std::ostringstream out;
  std::ostringstream err;
  CHECK(explain_command(admin.call(), "irc", false, out, err) == exit_ok);
  CHECK(admin.asked.at(0) == "GET /_weir/admin/v1/queues/irc/explain");
  const auto text = out.str();
  CAPTURE(text);
  for (const std::string part :
       {"irc: refused, resting for 1m 40s, since 2025-12-31 23:58:20 UTC\n",
        "(http_503).", "error   connect_refused, 2s ago: Connection refused\n",
        "17, the oldest for 10m 3s", "8f-17, tried 3 times", "in 12s: The same",
        "weir retry tries now."})
    CHECK(has(text, part));
  CHECK(longest_line(text) <= 80);
}

TEST_CASE("control CLI: what was tried once was not tried 1 times") {
  fake_admin admin;
  admin.answer
    = admin_answer{200, R"({"id":"irc","attempts":1,"pinned_txn":"8f-17"})"};
  std::ostringstream out;
  std::ostringstream err;
  CHECK(explain_command(admin.call(), "irc", false, out, err) == exit_ok);
  CHECK(has(out.str(), "8f-17, tried once\n"));
}

TEST_CASE("control CLI: what holds beside the cause is told too") {
  fake_admin admin;
  std::ostringstream out;
  std::ostringstream err;
  admin.answer = admin_answer{
    200, R"({"id":"irc","state":"resting","as_of_ms":1767225600000,
    "dead_letters":3,"full":true,"near_bounds":"events",
    "since_ms":1767225500000,"removed_at_ms":1767225590000,
    "explanation":{"cause":"not_configured","since_ms":1767225590000}})"};
  CHECK(explain_command(admin.call(), "irc", false, out, err) == exit_ok);
  CHECK(has(out.str(),
            "irc: not_configured, removed for 10s, since 2025-12-31 "
            "23:59:50 UTC\n"));
  CHECK(has(out.str(), "\n  full    the homeserver's requests are held"));
  CHECK(has(out.str(), "\n  letters 3 dead, see weir dead-letters list"));
  CHECK_FALSE(has(out.str(), "near"));
  admin.answer = admin_answer{
    200, R"({"id":"irc","full":false,"near_bounds":"events,age"})"};
  out.str("");
  CHECK(explain_command(admin.call(), "irc", false, out, err) == exit_ok);
  CHECK(has(out.str(), "\n  near    its bounds: events,age\n"));
  CHECK_FALSE(has(out.str(), "since"));
}

TEST_CASE("control CLI: long texts are broken at spaces") {
  CHECK(wrapped("one two three", 0, 7) == "one two\nthree");
  CHECK(wrapped("a b c", 2, 3) == "a b\n  c");
  CHECK(wrapped("unbreakable", 0, 4) == "unbreakable");
  CHECK(wrapped("", 0, 4).empty());
  CHECK(wrapped("  next    in 12s", 10, 80) == "  next    in 12s");
}

TEST_CASE("control CLI: an order names who asks, and all is escaped") {
  fake_admin admin;
  admin.answer
    = admin_answer{200, R"({"says":"Paused. What is in flight is finished."})"};
  std::ostringstream out;
  std::ostringstream err;
  queue_order what{"a/b", "pause", "ada", "to & fro", "r-1", true};
  CHECK(queue_order_command(admin.call(), what, false, out, err) == exit_ok);
  CHECK(admin.asked.at(0)
        == "POST /_weir/admin/v1/queues/a%2Fb/pause?by=ada&reason=to%20%26%20"
           "fro&txn=r-1&force=true");
  CHECK(out.str() == "Paused. What is in flight is finished.\n");
  what.by.clear();
  queue_order_command(admin.call(), what, false, out, err);
  CHECK(has(admin.asked.at(1), "?by="));
}

TEST_CASE("control CLI: a refusal is told and ends with 1") {
  fake_admin admin;
  admin.answer = admin_answer{
    409,
    R"({"errcode":"ORG.WEIR.NOT_CURRENT","error":"the pinned one is r-7"})"};
  std::ostringstream out;
  std::ostringstream err;
  CHECK(queue_order_command(admin.call(), {"irc", "skip", "", "", "r-6", false},
                            false, out, err)
        == exit_failed);
  CHECK(has(err.str(), "the pinned one is r-7"));
  CHECK(out.str().empty());
}

TEST_CASE("control CLI: queues and commands are tables with a next page") {
  fake_admin admin;
  admin.answer = admin_answer{200,
                              R"({"queues":[)" + resting
                                + R"(],"next":9,"as_of_ms":1767225600000})"};
  std::ostringstream out;
  std::ostringstream err;
  CHECK(queues_command(admin.call(), 4, 1, false, out, err) == exit_ok);
  CHECK(admin.asked.at(0) == "GET /_weir/admin/v1/queues?after=4&limit=1");
  CHECK(has(out.str(), "irc         resting  1m 40s  17"));
  CHECK(has(out.str(), "more: --after 9"));
  CHECK(longest_line(out.str()) <= 80);
  admin.answer = admin_answer{
    200,
    R"({"commands":[{"id":7,"target":"appservice/irc","verb":"skip","by":"ada",
        "at_ms":1767225600000,"result":"r-7, 3 elements"}],"before":7})"};
  out.str("");
  CHECK(commands_command(admin.call(), 0, 1, false, out, err) == exit_ok);
  CHECK(admin.asked.at(1) == "GET /_weir/admin/v1/commands?limit=1");
  CHECK(has(out.str(), "2026-01-01 00:00:00"));
  CHECK(has(out.str(), "older: --before 7"));
  out.str("");
  CHECK(commands_command(admin.call(), 7, 1, true, out, err) == exit_ok);
  CHECK(admin.asked.at(2) == "GET /_weir/admin/v1/commands?limit=1&before=7");
  CHECK(has(out.str(), R"("commands")"));
}

TEST_CASE("control CLI: a drain tells what is in flight until the end") {
  ending_weir weir{{3, 3, 1}};
  std::ostringstream out;
  std::ostringstream err;
  milliseconds waited{0};
  CHECK(drain_command(
          weir.call(), milliseconds{60'000}, false,
          [&](milliseconds time) { waited += time; }, out, err)
        == exit_ok);
  CHECK(out.str()
        == "draining, 3 in flight\n1 in flight\ndrained, weir has ended\n");
  CHECK(waited == milliseconds{1'000});
}

TEST_CASE("control CLI: a drain that takes too long is left to itself") {
  ending_weir weir{std::vector<int>(100, 2)};
  std::ostringstream out;
  std::ostringstream err;
  CHECK(drain_command(
          weir.call(), milliseconds{2'000}, true, [](milliseconds) {}, out, err)
        == exit_failed);
  CHECK(has(err.str(), "2 in flight"));
  CHECK(has(out.str(), R"({"drained":false,"in_flight":2})"));
}
