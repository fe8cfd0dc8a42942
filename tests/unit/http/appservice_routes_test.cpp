#include "tests/unit/http/routes_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

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
  return database.connect_reader()->quarantined({}).value().size();
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

TEST_CASE("routes: nothing is kept for an appservice without a url") {
  routes_fixture on;
  on.start();
  CHECK(on.ask("PUT", txn, "x", "quiet").status == 400);
  CHECK(on.ask("PUT", txn, R"({"events":[]})", "quiet").status == 200);
  CHECK(quarantined_in(on.database) == 0);
}
