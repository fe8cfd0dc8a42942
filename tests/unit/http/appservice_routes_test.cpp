#include "tests/unit/http/routes_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <future>

using namespace weir;
using namespace weir::test;

namespace {

const std::string txn = "/_matrix/app/v1/transactions/1";

std::string error_of(const http_response& response) {
  return nlohmann::json::parse(response.body)["error"];
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t quarantined_in(const memory_database& database) {
  return database.connect_reader()->quarantined({}, {}).value().size();
}

} // namespace

TEST_CASE("routes: a body that is no transaction is said to be kept when it "
          "is") {
  routes_fixture on;
  on.start();
  const auto answer = on.ask("PUT", txn, "{\"events\":[");
  CHECK(answer.status == 400);
  CHECK(has(answer.body, "M_NOT_JSON"));
  CHECK(has(error_of(answer), "; kept in the quarantine of Weir"));
  CHECK(quarantined_in(on.database) == 1);
  CHECK(on.counts().not_json == 1);
  CHECK(on.counts().quarantined == 1);
}

TEST_CASE("routes: a full quarantine is not said to have kept anything") {
  routes_fixture on;
  on.quarantine_full = true;
  on.start();
  const auto answer = on.ask("PUT", txn, "[]");
  CHECK(answer.status == 400);
  CHECK(has(answer.body, "M_BAD_JSON"));
  CHECK(has(error_of(answer), "; not kept, the quarantine of Weir is full"));
  CHECK(quarantined_in(on.database) == 0);
  CHECK(on.counts().bad_json == 1);
  CHECK(on.counts().quarantined == 0);
  CHECK(on.counts().quarantine_full == 1);
}

TEST_CASE("routes: a store that is away is not said to have kept anything") {
  routes_fixture on;
  on.start();
  on.database.set_away(true);
  const auto answer = on.ask("PUT", txn, "x");
  CHECK(answer.status == 400);
  CHECK(has(error_of(answer), "; Weir could not keep it"));
  CHECK(on.counts().quarantine_failed == 1);
}

TEST_CASE("routes: a transaction that was slow to arrive is stored all the "
          "same") {
  routes_fixture on;
  on.start();
  request_head head;
  head.method = "PUT";
  head.target = "/_weir/as/irc" + txn;
  head.fields = {{"Authorization", "Bearer irc-token"}};
  head.arrived = std::chrono::steady_clock::now() - std::chrono::seconds{50};
  const auto wish = on.routes().handle(head);
  CHECK(answered(wish, R"({"events":[{"event_id":"$1"}]})").status == 200);
  CHECK(on.counts().accepted == 1);
}

TEST_CASE("routes: a request to a full queue waits until there is room") {
  routes_fixture on;
  on.start();
  on.board().set_full({"irc"}, true);
  const auto gated = on.wish("PUT", txn);
  REQUIRE(gated.gate);
  size_t opened = 0;
  gated.gate([&] { ++opened; });
  CHECK(on.run_later() == 1);
  CHECK(opened == 0);
  CHECK_FALSE(on.wish("PUT", txn, "quiet").gate);
  on.board().set_full({"irc"}, false);
  CHECK(on.run_later() == 1);
  CHECK(opened == 1);
  CHECK(on.run_later() == 0);
}

TEST_CASE("routes: a hint of a full queue is given up after one hold") {
  routes_fixture on;
  on.start();
  on.board().set_full({"irc"}, true);
  request_head head;
  head.method = "PUT";
  head.target = "/_weir/as/irc" + txn;
  head.fields = {{"Authorization", "Bearer irc-token"}};
  head.arrived = std::chrono::steady_clock::now() - std::chrono::seconds{46};
  const auto gated = on.routes().handle(head);
  REQUIRE(gated.gate);
  bool opened = false;
  gated.gate([&] { opened = true; });
  CHECK_FALSE(opened);
  CHECK_FALSE(on.wish("PUT", txn).gate);
  CHECK(on.ask("PUT", txn, R"({"events":[]})").status == 200);
}

TEST_CASE("routes: who is unknown gets 404, who shows a wrong token 403") {
  routes_fixture on;
  on.start();
  request_head head;
  head.method = "PUT";
  const auto status = [&](const std::string& target, const std::string& token) {
    head.target = target;
    head.fields = {{"Authorization", "Bearer " + token}};
    return answered(on.routes().handle(head), {}).status;
  };
  CHECK(status("/_weir/as/nobody" + txn, "irc-token") == 404);
  CHECK(status("/_weir/as/irc/other", "irc-token") == 404);
  CHECK(status("/_weir/as/irc" + txn, "quiet-token") == 403);
  CHECK(status("/_weir/as/irc" + txn, "") == 403);
  CHECK(status(txn, "nobody's") == 403);
  head.method = "POST";
  CHECK(status("/_weir/as/irc" + txn, "irc-token") == 405);
  CHECK(on.counts().unrecognised == 3);
  CHECK(on.counts().unauthorised == 3);
}

TEST_CASE("routes: a transaction that comes again is stored once") {
  routes_fixture on;
  on.start();
  const std::string body = R"({"events":[{"event_id":"$1"}]})";
  CHECK(on.ask("PUT", txn, body).body == "{}");
  CHECK(on.ask("PUT", txn, body).body == "{}");
  CHECK(on.counts().accepted == 2);
  CHECK(on.counts().duplicates == 1);
  CHECK(on.counts().events_accepted == 1);
  CHECK(on.ask("PUT", txn, R"({"events":[{"event_id":"$2"}]})").status == 200);
  CHECK(on.counts().ids_reused == 1);
}

TEST_CASE("routes: Weir answers the pings that it caused and no others") {
  const std::string ping = "/_matrix/app/v1/ping";
  routes_fixture on;
  on.network.script = [](const http_request&) { return answer_of(204, {}); };
  on.start();
  const auto body_with = [](const std::string& id) {
    return nlohmann::json{{"transaction_id", id}}.dump();
  };
  const auto own = body_with(on.pings().make_id({"irc"}));
  CHECK(on.ask("POST", ping, own).status == 200);
  CHECK(on.network.sent().empty());
  const auto theirs = body_with("theirs");
  CHECK(on.ask("POST", ping, theirs).status == 204);
  REQUIRE(on.network.sent().size() == 1);
  const auto sent = on.network.sent().front();
  CHECK(sent.method == "POST");
  CHECK(sent.target == ping);
  CHECK(sent.body.view() == theirs);
  CHECK(find_field(sent.fields, "authorization") == "Bearer irc-token");
  // An appservice without a url answers for nobody.
  CHECK(on.ask("POST", ping, theirs, "quiet").status == 404);
  CHECK(on.ask("GET", "/_matrix/app/v1/users/@a:b", {}, "quiet").status == 404);
}

TEST_CASE("routes: a bridge that does not answer is 502 and counted") {
  routes_fixture on;
  on.network.script = [](const http_request&) {
    return unanswered(no_answer::refused, "nobody there");
  };
  on.start();
  const auto answer = on.ask("GET", "/_matrix/app/v1/users/@a:b");
  CHECK(answer.status == 502);
  CHECK(has(answer.body, "ORG.WEIR.BRIDGE_UNREACHABLE"));
  CHECK(on.counts().proxied == 1);
  CHECK(on.counts().unreachable == 1);
}

TEST_CASE("routes: what is passed on waits at the door no longer than for the "
          "bridge") {
  routes_fixture on;
  on.start();
  CHECK(on.wish("PUT", txn).hold == std::chrono::seconds{45});
  CHECK(on.wish("POST", "/_matrix/app/v1/ping").hold
        == std::chrono::seconds{25});
}

TEST_CASE("routes: a bridge known to be away is waited for less") {
  routes_fixture on;
  on.start();
  const std::string query = "/_matrix/app/v1/rooms/%23a:b?x=%2F";
  CHECK(on.ask("GET", query).status == 200);
  on.board().set_unreachable({"irc"}, true);
  CHECK(on.ask("GET", query).status == 200);
  const auto sent = on.network.sent();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].target == query);
  CHECK(sent[0].deadlines.connect > std::chrono::seconds{2});
  CHECK(sent[1].deadlines.connect == std::chrono::seconds{2});
}

TEST_CASE("routes: a failed protocol look-up is tried again before it is "
          "told") {
  std::atomic<size_t> tries = 0;
  routes_fixture on;
  on.network.script = [&](const http_request&) {
    return ++tries < 3 ? unanswered(no_answer::refused, "not yet")
                       : answer_of(200, R"({"instances":[]})");
  };
  on.start();
  std::promise<http_response> told;
  on.wish("GET", "/_matrix/app/v1/thirdparty/protocol/irc")
    .take({}, [&](http_response answer) { told.set_value(std::move(answer)); });
  auto answer = told.get_future();
  const auto until
    = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (answer.wait_for(std::chrono::milliseconds{1})
           != std::future_status::ready
         && std::chrono::steady_clock::now() < until)
    on.run_later();
  REQUIRE(answer.wait_for(std::chrono::seconds{0})
          == std::future_status::ready);
  CHECK(answer.get().status == 200);
  CHECK(tries == 3);
  CHECK(on.counts().unreachable == 0);
}

TEST_CASE("routes: nothing is kept for an appservice without a url") {
  routes_fixture on;
  on.start();
  CHECK(on.ask("PUT", txn, "x", "quiet").status == 400);
  CHECK(on.ask("PUT", txn, R"({"events":[]})", "quiet").status == 200);
  CHECK(quarantined_in(on.database) == 0);
}
