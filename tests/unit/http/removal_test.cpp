#include "http/routes/removal.hpp"

#include "http/routes/admin.hpp"
#include "tests/support/memory_store/memory_state.hpp"
#include "tests/unit/http/routes_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace weir;
using namespace weir::test;
using nlohmann::json;

namespace {

/// The admin routes; the configuration names `irc` and not `gone`.
class removal_admin {
public:
  removal_admin() {
    on_.network.script = [](const http_request&) { return answer_of(503); };
    on_.start();
    admin_routes::options to;
    to.token = "secret";
    to.viewer_token = "viewer";
    to.serves = [](const std::string& id) { return id == "irc"; };
    routes_.emplace(on_.door(), std::move(to));
    keep("gone", 3);
    keep("irc", 1);
  }

  http_response ask(const std::string& method, const std::string& what,
                    const std::string& token = "secret") {
    request_head head;
    head.method = method;
    head.target = "/_weir/admin/v1/appservices/" + what;
    head.fields = {{"Authorization", "Bearer " + token}};
    return answered(routes_->handle(head), {});
  }
  json removed(const std::string& what, int status = 200) {
    const auto answer = ask("POST", what);
    CAPTURE(answer.body);
    CHECK(answer.status == status);
    return json::parse(answer.body);
  }
  /// All lines of an export.
  std::vector<json> exported(const std::string& id) {
    std::vector<json> lines;
    std::string after;
    for (int each = 0; each < 20; ++each) {
      std::istringstream page{
        ask("GET", id + "/export?after=" + after, "viewer").body};
      json last;
      for (std::string line; std::getline(page, line);) {
        last = json::parse(line);
        lines.push_back(last);
      }
      if (last["type"] != "page")
        break;
      after = last["next"];
    }
    return lines;
  }
  size_t owed() {
    return on_.database.copy()->outbox.size();
  }

private:
  void keep(const std::string& id, uint64_t events) {
    auto db = on_.database.connect();
    const auto lease = db->take_slot(77, "test", ++run_).value();
    REQUIRE(db->begin(lease, 1));
    auto queue = db->outbox().adopt_queue({id}).value();
    std::vector<owed_row> rows;
    for (uint64_t seq = 1; seq <= events; ++seq) {
      owed_row row;
      row.seq = seq;
      row.item.keys = "events";
      row.item.bytes = event_bytes{R"({"n":1e400})"};
      rows.push_back(row);
    }
    REQUIRE(db->outbox().append(queue.no, rows));
    queue.next_seq = events + 1;
    queue.owed_events = events;
    REQUIRE(db->outbox().save_queue(queue));
    dead_letter_row letter;
    letter.appservice = {id};
    letter.item.bytes = event_bytes{"{}"};
    REQUIRE(db->keep().bury(letter));
    quarantine_row body;
    body.appservice = {id};
    body.body = "\xff";
    REQUIRE(db->keep().quarantine(body));
    REQUIRE(db->commit());
  }

  routes_fixture on_;
  uint64_t run_ = 4;
  std::optional<admin_routes> routes_;
};

} // namespace

TEST_CASE("removal: what is configured is not removed, nor by a viewer") {
  removal_admin admin;
  CHECK(admin.removed("irc/remove", 409)["errcode"] == "ORG.WEIR.CONFIGURED");
  CHECK(admin.ask("POST", "gone/remove", "viewer").status == 403);
  CHECK(admin.owed() == 4);
}

TEST_CASE("removal: an export has each element with its bytes, and the mark") {
  removal_admin admin;
  std::map<std::string, int> types;
  const auto lines = admin.exported("gone");
  for (const auto& line : lines)
    ++types[line["type"]];
  CHECK(types["owed"] == 3);
  CHECK(types["dead_letter"] == 1);
  CHECK(types["quarantined"] == 1);
  CHECK(lines.at(0)["content"] == R"({"n":1e400})");
  for (const auto& line : lines)
    if (line["type"] == "quarantined")
      CHECK(line["body_base64"] == "/w==");
  const auto& end = lines.back();
  CHECK(end["type"] == "end");
  CHECK(end["owed"] == 3);
  CHECK(end["dead_letters"] == 1);
  CHECK(end["quarantined"] == 1);
  CHECK(admin.removed("gone/remove?mark=other", 409)["errcode"]
        == "ORG.WEIR.CHANGED");
  CHECK(admin.owed() == 4);
  CHECK(
    admin.removed("gone/remove?mark=" + end["mark"].get<std::string>())["rows"]
    == 5);
}

TEST_CASE("removal: it goes on to the end, and then there is nothing") {
  removal_admin admin;
  CHECK(admin.removed("gone/remove")["more"] == true);
  CHECK(admin.owed() == 1);
  CHECK(admin.removed("gone/remove")["more"] == false);
  CHECK(admin.removed("gone/remove", 404)["errcode"] == "M_NOT_FOUND");
  CHECK(admin.ask("GET", "gone/export").status == 404);
}

TEST_CASE("removal: paths and queries that are none are refused") {
  removal_admin admin;
  for (const std::string what : {"", "gone", "gone/", "/remove", "gone/x",
                                 "gone/remove/x", "gone/export"}) {
    CAPTURE(what);
    CHECK(admin.ask("POST", what).status == 404);
  }
  for (const std::string after : {"x", "owed", "owed:", "owed:x", "none:1"}) {
    CAPTURE(after);
    CHECK(admin.ask("GET", "gone/export?after=" + after).status == 400);
  }
  CHECK(admin.ask("POST", "gone/remove?by=%0a").status == 400);
  CHECK(admin.ask("POST", "gone/remove?mark=%0a").status == 400);
  CHECK(admin.ask("GET", "a%2Fb/export").status == 404);
}
