#include "http/routes/admin.hpp"

#include "tests/support/memory_store/memory_state.hpp"
#include "tests/unit/http/routes_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace weir::test;
using nlohmann::json;

namespace {

/// The admin routes over a house in whose store there are strange bodies.
class quarantine_admin {
public:
  quarantine_admin() {
    on_.start();
    admin_routes::options to;
    to.token = "secret";
    to.viewer_token = "viewer";
    routes_.emplace(on_.door(), std::move(to));
  }

  int64_t keep(const std::string& appservice, const std::string& body) {
    auto db = on_.database.connect();
    const auto lease = db->take_slot(77, "test", ++run_).value();
    REQUIRE(db->begin(lease, 1));
    quarantine_row row;
    row.appservice = {appservice};
    row.hs_txn_id = "17";
    row.reason = "bad_json";
    row.body = body;
    const auto id = db->keep().quarantine(row).value();
    REQUIRE(db->commit());
    return id;
  }

  http_response ask(const std::string& method, const std::string& what,
                    const std::string& token = "secret") {
    request_head head;
    head.method = method;
    head.target = "/_weir/admin/v1/quarantine" + what;
    head.fields = {{"Authorization", "Bearer " + token}};
    return answered(routes_->handle(head), {});
  }
  json told(const std::string& method, const std::string& what,
            int status = 200) {
    const auto answer = ask(method, what);
    CHECK(answer.status == status);
    return json::parse(answer.body);
  }
  size_t kept() {
    return on_.database.copy()->quarantine.size();
  }

private:
  routes_fixture on_;
  uint64_t run_ = 4;
  std::optional<admin_routes> routes_;
};

std::string named(int64_t id) {
  return std::to_string(id);
}

} // namespace

TEST_CASE("quarantine: a page has heads alone, and names the next") {
  quarantine_admin admin;
  const auto first = admin.keep("irc", "{\"events\":1}");
  const auto second = admin.keep("other", "no");
  const auto page = admin.told("GET", "?limit=1");
  REQUIRE(page["quarantine"].size() == 1);
  CHECK(page["quarantine"][0]["id"] == first);
  CHECK(page["quarantine"][0]["bytes"] == 12);
  CHECK_FALSE(page["quarantine"][0].contains("body"));
  CHECK(page["next"] == first);
  const auto rest = admin.told("GET", "?after=" + named(first));
  CHECK(rest["quarantine"][0]["id"] == second);
  CHECK(rest["next"].is_null());
  CHECK(admin.told("GET", "?appservice=other")["quarantine"].size() == 1);
  CHECK(admin.ask("GET", "?limit=x").status == 400);
}

TEST_CASE("quarantine: one is shown as text, and comes whole as it came") {
  quarantine_admin admin;
  const auto id = admin.keep("irc", "a\xff");
  const auto one = admin.told("GET", "/" + named(id));
  CHECK(one["body"] == "a\xef\xbf\xbd");
  CHECK(one["bytes"] == 2);
  CHECK(one["reason"] == "bad_json");
  const auto raw = admin.ask("GET", "/" + named(id) + "/raw", "viewer");
  CHECK(raw.body == "a\xff");
  CHECK(raw.fields.at(0).value == "application/octet-stream");
}

TEST_CASE("quarantine: a large body is not shown, and comes whole") {
  quarantine_admin admin;
  const auto id = admin.keep("irc", std::string((1U << 20) + 1, 'x'));
  CHECK(admin.told("GET", "/" + named(id))["body"].is_null());
  CHECK(admin.ask("GET", "/" + named(id) + "/raw").body.size()
        == (1U << 20) + 1);
}

TEST_CASE("quarantine: one that is not there is 404") {
  quarantine_admin admin;
  for (const std::string what : {"/4", "/4/raw", "/x", "/", "/4/more"}) {
    CAPTURE(what);
    CHECK(admin.told("GET", what, 404)["errcode"] == "M_NOT_FOUND");
  }
  CHECK(admin.told("POST", "/drop?id=4", 404)["errcode"] == "M_NOT_FOUND");
}

TEST_CASE("quarantine: only an operator's token drops") {
  quarantine_admin admin;
  const auto id = admin.keep("irc", "no");
  CHECK(admin.ask("POST", "/drop?id=" + named(id), "viewer").status == 403);
  CHECK(admin.ask("GET", "", "viewer").status == 200);
  CHECK(admin.ask("GET", "", "wrong").status == 403);
  CHECK(admin.kept() == 1);
}

TEST_CASE("quarantine: those that are named go, or those of an appservice") {
  quarantine_admin admin;
  const auto first = admin.keep("irc", "1");
  admin.keep("irc", "2");
  admin.keep("other", "3");
  CHECK(admin.told("POST", "/drop?id=999999&id=" + named(first))["done"] == 1);
  CHECK(admin.kept() == 2);
  CHECK(admin.told("POST", "/drop?appservice=irc")["done"] == 1);
  CHECK(admin.kept() == 1);
  for (const std::string query : {"", "?id=x", "?appservice="}) {
    CAPTURE(query);
    CHECK(admin.ask("POST", "/drop" + query).status == 400);
  }
}
