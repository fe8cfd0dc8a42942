#include "actors/trace/recorder.hpp"
#include "http/cli/command_line.hpp"
#include "http/cli/trace_commands.hpp"
#include "http/routes/trace.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/test_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace weir;

namespace {

struct outcome {
  int code = -1;
  std::string out;
  std::string err;
};

outcome run(std::vector<std::string> words) {
  words.insert(words.begin(), {"weir", "trace"});
  std::vector<const char*> argv;
  for (const auto& word : words)
    argv.push_back(word.c_str());
  std::ostringstream out, err;
  const auto code = run_command_line(static_cast<int>(argv.size()), argv.data(),
                                     {}, out, err);
  return {code, out.str(), err.str()};
}

std::string committed(const std::string& name) {
  return test::source_dir() + "/tests/traces/" + name + ".jsonl";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

nlohmann::json body_of(const http_response& response) {
  return nlohmann::json::parse(response.body);
}

} // namespace

TEST_CASE("trace cli: show prints a timeline, of an actor, a span or an id") {
  const auto file = committed("outage_and_recovery");
  const auto all = run({"show", file});
  CHECK(all.code == 0);
  CHECK(has(all.out, "start as appservice_queue"));
  const auto late = run({"show", file, "--from", "1s", "--to", "4s"});
  CHECK(late.code == 0);
  CHECK(late.out.size() < all.out.size());
  CHECK_FALSE(has(late.out, "start as"));
  CHECK(run({"show", file, "--actor", "nobody"}).out == "");
  CHECK(run({"show", file, "--from", "9999999999h"}).out == "");
  CHECK(has(run({"show", file, "--id", "Retry-After"}).out, "http_answer"));
  const auto lines = run({"show", file, "--json"});
  CHECK(nlohmann::json::accept(lines.out.substr(0, lines.out.find('\n'))));
}

TEST_CASE("trace cli: a cut replays, and says when there is nothing in it") {
  const test_folder folder;
  const auto out = folder.path() + "/cut.jsonl";
  const auto cut = run({"cut", committed("drain"), "--actor", "appservice/irc",
                        "--to", "1s", "--out", out});
  CHECK(cut.code == 0);
  CHECK(has(cut.err, "records in " + out));
  CHECK(folder.mode("cut.jsonl") == 0600);
  const auto replayed = run({"replay", out});
  CHECK(replayed.code == 0);
  CHECK(has(replayed.out, "same          appservice/irc#"));
  CHECK_FALSE(has(replayed.out, "directory"));
  const auto none = run({"cut", committed("drain"), "--actor", "appservice/x"});
  CHECK(none.code == 1);
  CHECK(has(none.err, "no record"));
}

TEST_CASE("trace cli: replay ends with 1 at a difference and 3 with nothing") {
  const test_folder folder;
  const auto text = test_folder{}.path(); // Any name that is not there.
  CHECK(run({"replay", text + "/none"}).code == 1);
  std::ifstream from{committed("outage_and_recovery")};
  std::ostringstream whole;
  whole << from.rdbuf();
  auto changed = whole.str();
  const std::string mark = "\"in_ns\":1000000000";
  REQUIRE(changed.find(mark) != std::string::npos);
  changed.replace(changed.find(mark), mark.size(), "\"in_ns\":1000000001");
  const auto different = run({"replay", folder.write("d.jsonl", changed)});
  CHECK(different.code == 1);
  CHECK(has(different.out, "DIFFERENT"));
  CHECK(has(different.out, "/in_ns: 1000000001 in the trace, 1000000000"));
  const auto heading = changed.substr(0, changed.find('\n') + 1);
  CHECK(run({"replay", folder.write("e.jsonl", heading)}).code == 3);
  CHECK(run({"replay"}).code == 2);
}

TEST_CASE("trace cli: start, stop and status ask the admin API") {
  std::vector<std::string> asked;
  const admin_call call = [&](std::string_view method,
                              std::string_view path) -> expected<admin_answer> {
    asked.push_back(std::string{method} + ' ' + std::string{path});
    return admin_answer{
      200, R"({"on":true,"file":"/f","actors":["directory"],"records":7})"};
  };
  std::ostringstream out, err;
  CHECK(start_trace_command(call, {{"directory", "appservice/a b"}, true},
                            false, out, err)
        == 0);
  CHECK(trace_status_command(call, true, out, err) == 0);
  CHECK(stop_trace_command(call, false, out, err) == 0);
  CHECK(asked
        == std::vector<std::string>{
          "POST /_weir/admin/v1/trace/start?actors="
          "directory%2Cappservice%2Fa%20b&with_content=true",
          "GET /_weir/admin/v1/trace", "POST /_weir/admin/v1/trace/stop"});
  CHECK(has(out.str(), "tracing\n"));
  CHECK(has(out.str(), "\"records\":7"));
}

TEST_CASE("trace routes: a trace is begun, told and ended") {
  const test_folder folder;
  trace::control control{
    {folder.path() + "/t.jsonl"}, "n", [] { return int64_t{1}; }};
  const trace::recorder_options defaults{.actors = {"directory"}};
  const auto ask = [&](std::string_view method, std::string_view path,
                       std::string_view query = {}) {
    return trace_reply(control, defaults, method, path, query);
  };
  CHECK(body_of(ask("GET", "/trace")).at("on") == false);
  const auto begun = body_of(ask("POST", "/trace/start"));
  CHECK(begun.at("on") == true);
  CHECK(begun.at("actors") == nlohmann::json{"directory"});
  CHECK(begun.at("file") == folder.path() + "/t.jsonl");
  const auto again
    = body_of(ask("POST", "/trace/start", "actors=a%2Fb,c&with_content=true"));
  CHECK(again.at("actors") == nlohmann::json{"a/b", "c"});
  CHECK(again.at("with_content") == true);
  CHECK(
    body_of(ask("POST", "/trace/start", "actors=all")).at("actors").empty());
  CHECK(body_of(ask("POST", "/trace/stop")).at("on") == false);
  CHECK_FALSE(trace::is_on());
  CHECK(ask("GET", "/trace/start").status == 405);
  CHECK(ask("POST", "/trace").status == 405);
  for (const char* query : {"file=/etc/passwd", "actors=", "actors=,", "actors",
                            "with_content=yes", "with_content"})
    CHECK_MESSAGE(ask("POST", "/trace/start", query).status == 400, query);
}
