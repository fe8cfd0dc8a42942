#include "http/routes/admin.hpp"

#include "tests/support/memory_store/memory_state.hpp"
#include "tests/unit/http/routes_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace weir::test;
using nlohmann::json;

namespace {

const std::string letters = "/_weir/admin/v1/dead-letters";

/// The admin routes over a house in whose store there are letters.
class letter_admin {
public:
  letter_admin() {
    on_.network.script = [](const http_request&) { return answer_of(200); };
    on_.start();
    routes_.emplace(on_.door(), settings());
  }

  /// Letters `$FIRST` and on of an appservice; their ids.
  std::vector<int64_t> bury(const std::string& appservice, int first,
                            int count) {
    std::vector<int64_t> ids;
    auto db = on_.database.connect();
    const auto lease = db->take_slot(77, "test", ++run_).value();
    REQUIRE(db->begin(lease, 1));
    for (int each = first; each < first + count; ++each) {
      dead_letter_row row;
      row.appservice = {appservice};
      row.item.keys = "events";
      row.item.event_id = "$" + std::to_string(each);
      row.item.bytes
        = event_bytes{R"({"event_id":")" + row.item.event_id + R"("})"};
      ids.push_back(db->keep().bury(row).value());
    }
    REQUIRE(db->commit());
    return ids;
  }

  http_response ask(const std::string& target,
                    const std::string& token = "secret") {
    request_head head;
    head.method = "POST";
    head.target = letters + target;
    head.fields = {{"Authorization", "Bearer " + token}};
    return answered(routes_->handle(head), {});
  }
  json done(const std::string& target, int status = 200) {
    const auto answer = ask(target);
    CHECK(answer.status == status);
    return json::parse(answer.body);
  }
  size_t kept() {
    return on_.database.copy()->letters.size();
  }
  uint64_t elements_max = 1'000;

private:
  admin_routes::options settings() {
    admin_routes::options to;
    to.token = "secret";
    to.viewer_token = "viewer";
    to.serves = [](const std::string& id) { return id != "gone"; };
    to.bounds_of
      = [this](const std::string& id) -> std::optional<transaction_bounds> {
      if (id != "irc")
        return std::nullopt;
      transaction_bounds bounds;
      bounds.queue.elements_max = elements_max;
      return bounds;
    };
    return to;
  }

  routes_fixture on_;
  uint64_t run_ = 4;
  std::optional<admin_routes> routes_;
};

std::string named(const std::vector<int64_t>& ids) {
  std::string query;
  for (const auto id : ids)
    query += (query.empty() ? "?id=" : "&id=") + std::to_string(id);
  return query;
}

} // namespace

TEST_CASE("letters: only an operator's token puts back or drops") {
  letter_admin admin;
  const auto ids = admin.bury("irc", 1, 1);
  for (const std::string verb : {"/replay", "/drop"}) {
    CHECK(admin.ask(verb + named(ids), "viewer").status == 403);
    CHECK(admin.ask(verb + named(ids), "wrong").status == 403);
  }
  CHECK(admin.kept() == 1);
}

TEST_CASE("letters: a request names letters or an appservice, rightly") {
  letter_admin admin;
  for (const std::string verb : {"/replay", "/drop"}) {
    for (const std::string query :
         {"", "?id=x", "?id=", "?id=-1", "?appservice=", "?after=3",
          "?appservice=irc&after=x", "?appservice=irc&until=-2"}) {
      CAPTURE(query);
      CHECK(admin.ask(verb + query).status == 400);
    }
    CHECK(admin.ask(verb + named(std::vector<int64_t>(101, 1))).status == 400);
  }
}

TEST_CASE("letters: named letters go, whosever they are") {
  letter_admin admin;
  auto ids = admin.bury("irc", 1, 2);
  const auto others = admin.bury("gone", 1, 1);
  SUBCASE("when they are dropped") {
    const auto told
      = admin.done("/drop" + named({ids[0], others[0], 1'000'000, ids[1]}));
    CHECK(told["done"] == 3);
    CHECK(told["missing"] == 1);
    CHECK(admin.kept() == 0);
  }
  SUBCASE("when they are put back") {
    const auto told = admin.done("/replay" + named({ids[1], ids[0]}));
    CHECK(told["done"] == 2);
    CHECK(told["more"] == false);
    CHECK(admin.kept() == 1);
  }
  SUBCASE("but not when another appservice is meant") {
    const auto told
      = admin.done("/drop" + named({ids[0], others[0]}) + "&appservice=irc");
    CHECK(told["done"] == 1);
    CHECK(told["missing"] == 1);
  }
}

TEST_CASE("letters: one that is not there is 404, among others it is counted") {
  letter_admin admin;
  CHECK(admin.done("/replay?id=4", 404)["errcode"] == "M_NOT_FOUND");
  CHECK(admin.done("/drop?id=4", 404)["errcode"] == "M_NOT_FOUND");
  CHECK(admin.done("/drop?id=4&id=5")["missing"] == 2);
}

TEST_CASE("letters: whoever is sent nothing gets no letter back") {
  letter_admin admin;
  const auto gone = admin.bury("gone", 1, 1);
  const auto quiet = admin.bury("quiet", 1, 1);
  const auto mine = admin.bury("irc", 1, 1);
  const auto told = admin.done("/replay" + named({mine[0], gone[0]}), 409);
  CHECK(told["errcode"] == "ORG.WEIR.NOT_CONFIGURED");
  CHECK(told["error"].get<std::string>().find("gone") != std::string::npos);
  CHECK(admin.done("/replay?appservice=gone", 409)["errcode"]
        == "ORG.WEIR.NOT_CONFIGURED");
  CHECK(admin.done("/replay" + named(quiet), 409)["errcode"]
        == "ORG.WEIR.NOT_SENT_TO");
  CHECK(admin.kept() == 3); // Not even those of others.
  CHECK(admin.done("/drop?appservice=gone")["done"] == 1);
}

TEST_CASE("letters: of one appservice a commit's worth goes, then the rest") {
  for (const std::string verb : {"/replay", "/drop"}) {
    CAPTURE(verb);
    letter_admin admin;
    const auto ids = admin.bury("irc", 1, 102);
    const auto first = admin.done(verb + "?appservice=irc");
    CHECK(first["done"] == 100);
    CHECK(first["more"] == true);
    CHECK(first["after"] == ids[99]);
    CHECK(first["until"] == ids[101]);
    const auto rest
      = admin.done(verb + "?appservice=irc&after=" + first["after"].dump()
                   + "&until=" + first["until"].dump());
    CHECK(rest["done"] == 2);
    CHECK(rest["more"] == false);
    CHECK(admin.kept() == 0);
  }
}

TEST_CASE("letters: a queue at its bound refuses and tells what was done") {
  letter_admin admin;
  admin.elements_max = 2;
  const auto ids = admin.bury("irc", 1, 5);
  const auto told = admin.done("/replay?appservice=irc", 409);
  CHECK(told["errcode"] == "ORG.WEIR.QUEUE_FULL");
  CHECK(told["done"] == 2);
  CHECK(told["after"] == ids[1]);
  CHECK(told["more"] == true);
  CHECK(admin.kept() == 3);
}
