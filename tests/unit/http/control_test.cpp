#include "http/routes/control.hpp"

#include "http/routes/admin.hpp"
#include "tests/unit/http/routes_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace weir::test;
using nlohmann::json;

namespace {

/// The admin routes over the house of `on`.
class admin_of {
public:
  explicit admin_of(routes_fixture& on) : routes_{on.door(), settings()} {
  }

  http_response ask(const std::string& method, const std::string& path,
                    const std::string& token = "secret") {
    request_head head;
    head.method = method;
    head.target = "/_weir/admin/v1" + path;
    head.fields = {{"Authorization", "Bearer " + token}};
    return answered(routes_.handle(head), {});
  }
  json told(const std::string& method, const std::string& path) {
    const auto response = ask(method, path);
    CAPTURE(response.body);
    REQUIRE(response.status == 200);
    return json::parse(response.body);
  }

  size_t drains = 0;

private:
  admin_routes::options settings() {
    admin_routes::options to;
    to.token = "secret";
    to.viewer_token = "viewer";
    to.serves
      = [](const std::string& id) { return id == "irc" || id == "quiet"; };
    to.sends = [](const std::string& id) { return id == "irc"; };
    to.is_full = [](const std::string&) { return false; };
    to.drain = [this] { ++drains; };
    to.drain_now = [this]() -> admin_routes::drain_progress {
      return {drains > 0, 3};
    };
    return to;
  }

  admin_routes routes_;
};

command_done ended(command_result how) {
  command_done done;
  done.result = how;
  done.current = {"r-7"};
  done.until = {1'700'000'000'000};
  return done;
}

queue_command order(queue_verb verb) {
  queue_command what;
  what.appservice = {"irc"};
  what.verb = verb;
  what.by = "ada";
  what.txn = {"r-6"};
  return what;
}

json body_of(const http_response& response) {
  return json::parse(response.body);
}

} // namespace

TEST_CASE("control: a queue's path is one segment and perhaps a verb") {
  CHECK(parse_queue_path("/queues/irc")->id == "irc");
  CHECK(parse_queue_path("/queues/a%2Fb/skip")->id == "a/b");
  CHECK(parse_queue_path("/queues/a%2Fb/skip")->verb == "skip");
  for (const std::string path :
       {"/queues/", "/queues//pause", "/queues/irc/", "/queues/irc/skip/1"}) {
    CAPTURE(path);
    CHECK_FALSE(parse_queue_path(path));
  }
}

TEST_CASE("control: a command is read from path and query") {
  const auto what
    = parse_command({"irc", "skip"}, "txn=r-7&by=ada%20l&force=true&unknown=1");
  REQUIRE(what);
  CHECK(what.value().verb == queue_verb::skip);
  CHECK(what.value().appservice.value == "irc");
  CHECK(what.value().txn.value == "r-7");
  CHECK(what.value().by == "ada l");
  CHECK(what.value().force);
  CHECK(parse_command({"irc", "pause"}, "by=").value().by == "admin");
  CHECK(parse_command({"irc", "pause"}, "").value().by == "admin");
}

TEST_CASE("control: force is true or false, and nothing else") {
  CHECK_FALSE(parse_command({"irc", "retry"}, "").value().force);
  CHECK_FALSE(parse_command({"irc", "retry"}, "force=false").value().force);
  for (const auto* text : {"force=1", "force=yes", "force=", "force"}) {
    CAPTURE(text);
    const auto what = parse_command({"irc", "retry"}, text);
    REQUIRE_FALSE(what);
    CHECK(what.error().code == ec::invalid_argument);
  }
}

TEST_CASE("control: what would disfigure a row or a log is refused") {
  for (const std::string query :
       {"by=a%0Ab", "by=a%1b", "reason=%00", "txn=%7f"}) {
    CAPTURE(query);
    CHECK(parse_command({"irc", "skip"}, "txn=r-1&" + query).error().code
          == ec::invalid_argument);
  }
  CHECK_FALSE(parse_command({"irc", "pause"}, "by=" + std::string(65, 'a')));
  CHECK(parse_command({"irc", "pause"}, "by=" + std::string(64, 'a')));
  CHECK_FALSE(parse_command({"irc", "skip"}, ""));
  CHECK_FALSE(parse_command({"irc", "retire"}, "by=ada"));
  CHECK(parse_command({"irc", "explode"}, "").error().code == ec::not_found);
}

TEST_CASE("control: every ending has a status, a code and a sentence") {
  using how = command_result;
  const std::vector<std::pair<how, int>> statuses{
    {how::done, 200},      {how::already, 200},      {how::nothing_owed, 200},
    {how::paused, 409},    {how::bridge_asked, 409}, {how::not_current, 409},
    {how::delivered, 409}, {how::no_room, 409},      {how::not_damaged, 409},
    {how::in_flight, 409}, {how::busy, 503},         {how::not_served, 404},
    {how::draining, 503}};
  for (const auto& [result, status] : statuses)
    for (const auto verb :
         {queue_verb::pause, queue_verb::resume, queue_verb::retry,
          queue_verb::skip, queue_verb::retire}) {
      const auto response = command_reply(order(verb), ended(result), false);
      CAPTURE(response.body);
      CHECK(response.status == status);
      const auto body = body_of(response);
      CHECK_FALSE(
        body.at(status == 200 ? "says" : "error").get<std::string>().empty());
      CHECK(body.contains("errcode") == (status != 200));
    }
}

TEST_CASE("control: a refusal names what is pinned, and until when") {
  auto body = body_of(command_reply(order(queue_verb::skip),
                                    ended(command_result::not_current), true));
  CHECK(body.at("errcode") == "ORG.WEIR.NOT_CURRENT");
  CHECK(body.at("pinned_txn") == "r-7");
  CHECK(body.at("delivered") == false);
  body = body_of(command_reply(order(queue_verb::skip),
                               ended(command_result::delivered), true));
  CHECK(body.at("delivered") == true);
  body = body_of(command_reply(order(queue_verb::retry),
                               ended(command_result::bridge_asked), true));
  CHECK(body.at("until_ms") == 1'700'000'000'000);
  CHECK(body.at("error").get<std::string>().find(
          "; it is over at 2023-11-14 22:13:20 UTC")
        != std::string::npos);
  body = body_of(command_reply(order(queue_verb::skip),
                               ended(command_result::in_flight), true));
  CHECK(body.at("pinned_txn") == "r-7");
  CHECK(
    body.at("error").get<std::string>().ends_with("; the pinned one is r-7"));
  CHECK(command_reply(order(queue_verb::pause),
                      ended(command_result::not_served), true)
          .status
        == 409);
}

TEST_CASE("control: a store that did not answer leaves it open, and says so") {
  const expected<command_done> lost = fail(ec::unavailable, "away");
  const auto response = command_reply(order(queue_verb::skip), lost, true);
  CHECK(response.status == 503);
  CHECK(body_of(response).at("error").get<std::string>().find("or was not")
        != std::string::npos);
}

TEST_CASE("control: a queue is paused, shown, explained and resumed") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  CHECK(
    admin.told("POST", "/queues/irc/pause?by=ada&reason=moves").at("changed")
    == true);
  const auto again = admin.told("POST", "/queues/irc/pause");
  CHECK(again.at("changed") == false);
  CHECK(again.at("paused_by") == "ada");
  const auto says = again.at("says").get<std::string>();
  CHECK(says.starts_with("It was paused already by ada since 20"));
  CHECK(says.ends_with(" UTC: moves."));
  CHECK(on.ask("PUT", "/_matrix/app/v1/transactions/1",
               R"({"events":[{"event_id":"$1"}]})")
          .status
        == 200);
  CHECK(on.network.sent().empty());
  const auto shown = admin.told("GET", "/queues/irc");
  CHECK(shown.at("state") == "paused");
  CHECK(shown.at("pause_reason") == "moves");
  const auto explained = admin.told("GET", "/queues/irc/explain");
  CHECK(explained.at("explanation").at("cause") == "paused");
  CHECK(explained.at("depth_events") == 1);
  CHECK(explained.at("full") == false);
  CHECK(explained.at("explanation").at("since_ms") == shown.at("since_ms"));
  CHECK(shown.at("since_ms") > 0);
  const auto txn = shown.at("pinned_txn").get<std::string>();
  CHECK(admin.told("POST", "/queues/irc/skip?txn=" + txn).at("elements") == 1);
  CHECK(admin.told("POST", "/queues/irc/resume").at("changed") == true);
  const auto rows = admin.told("GET", "/commands").at("commands");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].at("by") == "ada");
  CHECK(rows[2].at("verb") == "resume");
  const auto page = admin.told("GET", "/commands?limit=1");
  CHECK(page.at("before") == rows[2].at("id"));
  CHECK(
    admin.told("GET", "/commands?limit=1&before=" + page.at("before").dump())
      .at("commands")[0]
      .at("verb")
    == "skip");
}

TEST_CASE("control: queues come a page at a time") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  admin.told("POST", "/queues/irc/pause");
  size_t seen = 0;
  json next = 0;
  while (!next.is_null()) {
    const auto page = admin.told("GET", "/queues?limit=1&after=" + next.dump());
    seen += page.at("queues").size();
    next = page.at("next");
  }
  CHECK(seen == admin.told("GET", "/queues").at("queues").size());
  CHECK(seen > 0);
  CHECK(admin.ask("GET", "/queues?after=x").status == 400);
}

TEST_CASE("control: who is not there and what is no command are told") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  CHECK(admin.ask("GET", "/queues/nobody").status == 404);
  CHECK(admin.ask("GET", "/queues/nobody/explain").status == 404);
  CHECK(admin.ask("POST", "/queues/nobody/pause").status == 404);
  CHECK(admin.ask("POST", "/queues/quiet/pause").status == 409);
  CHECK(admin.told("GET", "/queues/quiet/explain").at("explanation").at("cause")
        == "no_url");
  CHECK(admin.ask("POST", "/queues/irc/explode").status == 404);
  CHECK(admin.ask("GET", "/queues/irc/pause").status == 404);
  CHECK(admin.ask("POST", "/queues/irc").status == 404);
  CHECK(admin.ask("DELETE", "/queues/irc").status == 405);
  const auto unnamed = admin.ask("POST", "/queues/irc/skip");
  CHECK(unnamed.status == 400);
  CHECK(unnamed.body.find("pinned_txn of GET") != std::string::npos);
  CHECK(admin.told("GET", "/queues/quiet").at("has_url") == false);
  CHECK(admin.told("GET", "/queues/irc").at("has_url") == true);
}

TEST_CASE("control: a viewer reads and commands nothing") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  CHECK(admin.ask("GET", "/queues", "viewer").status == 200);
  CHECK(admin.ask("GET", "/commands", "viewer").status == 200);
  for (const std::string path :
       {"/queues/irc/pause", "/queues/irc/resume", "/queues/irc/retry",
        "/queues/irc/skip?txn=a", "/queues/irc/retire?txn=a", "/drain"})
    CHECK(admin.ask("POST", path, "viewer").status == 403);
  CHECK(admin.drains == 0);
}

TEST_CASE("control: since when a cause holds is told where it is known") {
  using cause = policy::queue_cause;
  queue_view view;
  CHECK(since_of(cause::idle, view) == stored_time{});
  view.row.halted.emplace().since = {1};
  view.row.removed_at = {2};
  view.status.emplace().since = {3};
  view.status->sending_since = {4};
  CHECK(since_of(cause::paused, view) == stored_time{1});
  CHECK(since_of(cause::not_configured, view) == stored_time{2});
  CHECK(since_of(cause::unreachable, view) == stored_time{3});
  CHECK(since_of(cause::sending, view) == stored_time{4});
  for (const auto unknown : {cause::store_away, cause::no_url, cause::full})
    CHECK(since_of(unknown, view) == stored_time{});
}

TEST_CASE("control: a store that is away is the explanation") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  on.database.set_away(true);
  const auto told = admin.told("GET", "/queues/irc/explain");
  CHECK(told.at("explanation").at("cause") == "store_away");
  CHECK(admin.ask("POST", "/queues/irc/pause").status == 503);
}

TEST_CASE("control: a drain is begun once asked for, and told") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  CHECK(admin.told("GET", "/drain").at("draining") == false);
  const auto begun = admin.told("POST", "/drain");
  CHECK(admin.drains == 1);
  CHECK(begun.at("draining") == true);
  CHECK(begun.at("in_flight") == 3);
}
