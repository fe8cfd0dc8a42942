#include "http/routes/admin.hpp"

#include "tests/unit/http/routes_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace weir::test;

namespace {

/// The admin routes over the house of `on`.
class admin_of {
public:
  explicit admin_of(routes_fixture& on) : routes_{on.door(), settings()} {
  }

  http_response ask(const std::string& method, const std::string& target,
                    const std::string& token = "secret") {
    request_head head;
    head.method = method;
    head.target = target;
    if (!token.empty())
      head.fields = {{"Authorization", "Bearer " + token}};
    return answered(routes_.handle(head), {});
  }
  int status(const std::string& method, const std::string& target,
             const std::string& token = "secret") {
    return ask(method, target, token).status;
  }

private:
  static admin_routes::options settings() {
    admin_routes::options to;
    to.token = "secret";
    to.viewer_token = "viewer";
    to.reload = [](const std::function<void(const reload_report&)>& done) {
      reload_report report;
      report.applied = true;
      report.changes.added = {"slack"};
      done(report);
    };
    to.serves = [](const std::string& id) { return id != "quiet"; };
    to.metrics = [](const stored_figures& found) {
      return "appservices " + std::to_string(found.appservices.size())
        + " removed " + std::to_string(found.removed.appservices) + " store "
        + std::to_string(found.store.has_value());
    };
    return to;
  }

  admin_routes routes_;
};

} // namespace

TEST_CASE("admin: everything but health and ready wants a token") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  for (const std::string target :
       {"/metrics", "/_weir/admin/v1/status", "/_weir/admin/v1/dead-letters",
        "/_weir/admin/v1/dead-letters/1", "/nothing"}) {
    CAPTURE(target);
    CHECK(admin.status("GET", target, "") == 403);
    CHECK(admin.status("GET", target, "wrong") == 403);
    CHECK(admin.status("GET", target, "secret")
          == admin.status("GET", target, "viewer"));
  }
  CHECK(admin.status("GET", "/health", "") == 200);
  CHECK(admin.status("GET", "/ready", "") == 200);
}

TEST_CASE("admin: unknown paths are 404 and other methods 405") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  CHECK(admin.status("GET", "/_weir/admin/v1") == 404);
  CHECK(admin.status("GET", "/_weir/admin/v1/statuses") == 404);
  CHECK(admin.status("GET", "/_weir/admin/v2/status") == 404);
  CHECK(admin.status("HEAD", "/_weir/admin/v1/status") == 200);
  const auto refused = admin.ask("POST", "/_weir/admin/v1/status");
  CHECK(refused.status == 405);
  CHECK(find_field(refused.fields, "allow") == "GET, HEAD");
}

TEST_CASE("admin: health and ready were once answered whatever the method") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  for (const std::string target : {"/health", "/ready"}) {
    CAPTURE(target);
    CHECK(admin.status("HEAD", target, "") == 200);
    for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
      const auto refused = admin.ask(method, target, "");
      CHECK(refused.status == 405);
      CHECK(refused.body.find("M_UNRECOGNIZED") != std::string::npos);
      CHECK(find_field(refused.fields, "allow") == "GET, HEAD");
    }
  }
}

TEST_CASE("admin: a reload is asked for by POST, and not by a viewer") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  const std::string target = "/_weir/admin/v1/reload";
  CHECK(admin.status("GET", target) == 405);
  CHECK(admin.status("POST", target, "viewer") == 403);
  const auto done = admin.ask("POST", target);
  CHECK(done.status == 200);
  CHECK(nlohmann::json::parse(done.body)["added"].at(0) == "slack");
}

TEST_CASE("admin: the status lists what the store knows") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  CHECK(on.ask("PUT", "/_matrix/app/v1/transactions/1",
               R"({"events":[{"event_id":"$1"}]})")
          .status
        == 200);
  const auto page
    = nlohmann::json::parse(admin.ask("GET", "/_weir/admin/v1/status").body);
  REQUIRE(page["appservices"].size() == 2);
  CHECK(page["appservices"][0]["id"] == "irc");
  CHECK(page["appservices"][1]["id"] == "quiet");
  // The one that the configuration does not name has nothing left.
  CHECK(admin.ask("GET", "/metrics").body == "appservices 1 removed 0 store 1");
}

TEST_CASE("admin: a dead letter is asked for by a whole number") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  const std::string letters = "/_weir/admin/v1/dead-letters";
  CHECK(admin.status("GET", letters) == 200);
  CHECK(admin.status("GET", letters + "?limit=x") == 400);
  CHECK(admin.status("GET", letters + "/") == 400);
  CHECK(admin.status("GET", letters + "/1x") == 400);
  CHECK(admin.status("GET", letters + "/1") == 404);
}

TEST_CASE("admin: with the store away health is good and ready is not") {
  routes_fixture on;
  on.start();
  admin_of admin{on};
  on.database.set_away(true);
  CHECK(admin.status("GET", "/health", "") == 200);
  const auto ready = admin.ask("GET", "/ready", "");
  CHECK(ready.status == 503);
  CHECK(ready.body.find("ORG.WEIR.NOT_READY") != std::string::npos);
  CHECK(admin.status("GET", "/_weir/admin/v1/status") == 503);
  // What the process itself knows is still told.
  CHECK(admin.ask("GET", "/metrics").body == "appservices 0 removed 0 store 0");
}
