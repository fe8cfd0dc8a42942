#include "http/cli/kept_commands.hpp"

#include "http/cli/control_commands.hpp"
#include "schema/config_values.hpp"
#include "tests/unit/http/fake_admin.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <sstream>

using namespace weir;
using namespace weir::test;

namespace {

/// An admin API that answers one after the other.
struct scripted_admin {
  std::deque<expected<admin_answer>> answers;
  std::vector<std::string> asked;

  admin_call call() {
    return [this](std::string_view method,
                  std::string_view path) -> expected<admin_answer> {
      asked.push_back(std::string{method} + " " + std::string{path});
      if (answers.empty())
        return fail(ec::unavailable, "no more answers");
      auto answer = answers.front();
      answers.pop_front();
      return answer;
    };
  }
};

struct outcome {
  int code = -1;
  std::string out;
  std::string err;
};

outcome change(scripted_admin& admin, kept_order which, bool json = false) {
  std::ostringstream out, err;
  const auto code = change_kept_command(admin.call(), which, json, out, err);
  return {code, out.str(), err.str()};
}

kept_order replay_of(std::vector<int64_t> ids, std::string appservice = {},
                     bool all = false) {
  return {"dead-letters/replay", "put back", std::move(ids),
          std::move(appservice), all,        "ada"};
}

const std::string api = "/_weir/admin/v1/";
const std::string replays = "POST " + api + "dead-letters/replay?by=ada";

constexpr auto body_head
  = R"("id":4,"appservice":"irc","hs_txn_id":"17","reason":"bad_json",)"
    R"("bytes":2048,"times":3,"first_at_ms":5,"last_at_ms":9)";

} // namespace

TEST_CASE("kept commands: named rows go in one request, and are told") {
  scripted_admin admin;
  admin.answers = {admin_answer{
    200, R"({"done":2,"missing":1,"after":9,"until":0,"more":false})"}};
  const auto told = change(admin, replay_of({4, 9, 7}));
  CHECK(told.code == exit_ok);
  CHECK(told.out == "2 put back, 1 not found\n");
  CHECK(admin.asked == std::vector{replays + "&id=4&id=9&id=7"});
}

TEST_CASE("kept commands: many names take several requests") {
  scripted_admin admin;
  const admin_answer hundred{200, R"({"done":100,"missing":0})"};
  admin.answers
    = {hundred, hundred, admin_answer{200, R"({"done":1,"missing":0})"}};
  auto which = replay_of({});
  for (int64_t id = 1; id <= 201; ++id)
    which.ids.push_back(id);
  const auto told = change(admin, which);
  CHECK(told.out == "201 put back\n");
  CHECK(told.err == "100 put back, going on\n200 put back, going on\n");
  REQUIRE(admin.asked.size() == 3);
  CHECK(admin.asked[2] == replays + "&id=201");
}

TEST_CASE("kept commands: all of an appservice go on to the end as it was") {
  scripted_admin admin;
  admin.answers = {
    admin_answer{
      200, R"({"done":100,"missing":0,"after":150,"until":201,"more":true})"},
    admin_answer{
      200, R"({"done":51,"missing":0,"after":201,"until":201,"more":false})"}};
  const auto told = change(admin, replay_of({}, "a b", true), true);
  CHECK(told.code == exit_ok);
  CHECK(told.out == "{\"done\":151,\"missing\":0,\"more\":false}\n");
  CHECK(admin.asked
        == std::vector{replays + "&appservice=a%20b&after=0&until=0",
                       replays + "&appservice=a%20b&after=150&until=201"});
}

TEST_CASE("kept commands: without --all one commit's worth goes") {
  scripted_admin admin;
  admin.answers = {admin_answer{
    200, R"({"done":100,"missing":0,"after":150,"until":201,"more":true})"}};
  const auto told
    = change(admin, {"quarantine/drop", "dropped", {}, "irc", false, "b b"});
  CHECK(told.code == exit_ok);
  CHECK(told.out == "100 dropped, there are more: --all\n");
  CHECK(admin.asked.at(0)
        == "POST " + api
          + "quarantine/drop?by=b%20b&appservice=irc&after=0&until=0");
}

TEST_CASE("kept commands: an answer that stands still ends the loop") {
  scripted_admin admin;
  const admin_answer same{
    200, R"({"done":0,"missing":0,"after":0,"until":9,"more":true})"};
  admin.answers = {same, same, same};
  change(admin, replay_of({}, "irc", true));
  CHECK(admin.asked.size() == 1);
}

TEST_CASE("kept commands: what was done before a refusal is told") {
  scripted_admin admin;
  admin.answers = {
    admin_answer{
      200, R"({"done":100,"missing":0,"after":150,"until":300,"more":true})"},
    admin_answer{409,
                 R"({"errcode":"ORG.WEIR.QUEUE_FULL","error":"at its )"
                 R"(bound","done":3,"missing":0,"after":153,"until":300,)"
                 R"("more":true})"}};
  const auto told = change(admin, replay_of({}, "irc", true));
  CHECK(told.code == exit_failed);
  CHECK(told.out == "103 put back\n");
  CHECK(has(told.err, "weir answered 409: at its bound"));
}

TEST_CASE("kept commands: they are named by ids or by their appservice") {
  std::ostringstream err;
  CHECK_FALSE(names_any(replay_of({}), err));
  CHECK_FALSE(names_any(replay_of({1}, "irc"), err));
  CHECK(has(err.str(), "name them by their ids, or --appservice\n"));
  CHECK(names_any(replay_of({1}), err));
  CHECK(names_any(replay_of({}, "irc"), err));
}

TEST_CASE("kept commands: nobody who answers is said to be away") {
  scripted_admin admin;
  const auto told = change(admin, replay_of({1}));
  CHECK(told.code == exit_failed);
  CHECK(told.out.empty());
  CHECK(has(told.err, "is it running?"));
}

TEST_CASE("kept commands: nobody named is the user of the system") {
  scripted_admin admin;
  auto which = replay_of({1});
  which.by.clear();
  change(admin, which);
  CHECK(admin.asked.at(0)
        == "POST " + api + "dead-letters/replay?by="
          + encode_path_segment(system_user()) + "&id=1");
}

TEST_CASE("quarantine commands: a page is a table that names the next") {
  fake_admin admin;
  admin.answer = admin_answer{
    200, R"({"quarantine":[{)" + std::string{body_head} + R"(}],"next":4})"};
  std::ostringstream out, err;
  CHECK(list_quarantine_command(admin.call(), {"a b", 2, 1}, false, out, err)
        == exit_ok);
  CHECK(admin.asked.at(0)
        == "GET " + api + "quarantine?after=2&limit=1&appservice=a%20b");
  CHECK(has(out.str(), "irc"));
  CHECK(has(out.str(), "bad_json"));
  CHECK(has(out.str(), "  1970-01-01 00:00:00 UTC  17 "));
  CHECK(has(out.str(), "more: --after 4\n"));
}

TEST_CASE(
  "quarantine commands: an empty page says so, and JSON is as it came") {
  fake_admin admin;
  admin.answer = admin_answer{200, R"({"quarantine":[],"next":null})"};
  std::ostringstream out, json, err;
  CHECK(list_quarantine_command(admin.call(), {}, false, out, err) == exit_ok);
  CHECK(out.str() == "nothing is quarantined\n");
  CHECK(list_quarantine_command(admin.call(), {}, true, json, err) == exit_ok);
  CHECK(json.str() == "{\"quarantine\":[],\"next\":null}\n");
}

TEST_CASE(
  "quarantine commands: a body is shown without what moves a terminal") {
  fake_admin admin;
  admin.answer = admin_answer{
    200, "{" + std::string{body_head} + R"(,"body":"a\u001b[2Jb"})"};
  std::ostringstream out, err;
  CHECK(show_quarantined_command(admin.call(), {4, false}, false, out, err)
        == exit_ok);
  CHECK(admin.asked.at(0) == "GET " + api + "quarantine/4");
  CHECK(has(out.str(), "a?[2Jb"));
  CHECK(has(out.str(), "2048"));
}

TEST_CASE("quarantine commands: raw bytes come as they are, and alone") {
  fake_admin admin;
  admin.answer = admin_answer{200, std::string{"\0\xff\n{", 4}};
  std::ostringstream out, err;
  CHECK(show_quarantined_command(admin.call(), {4, true}, false, out, err)
        == exit_ok);
  CHECK(admin.asked == std::vector{"GET " + api + "quarantine/4/raw"});
  CHECK(out.str() == std::string{"\0\xff\n{", 4});
  admin.answer = admin_answer{404, R"({"error":"No such quarantined body"})"};
  CHECK(show_quarantined_command(admin.call(), {4, true}, false, out, err)
        == exit_failed);
  CHECK(has(err.str(), "not found: No such quarantined body"));
}
