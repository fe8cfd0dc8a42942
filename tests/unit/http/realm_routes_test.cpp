#include "actors/house.hpp"
#include "http/matrix_reply.hpp"
#include "http/routes/realms.hpp"
#include "tests/support/token_samples.hpp"
#include "tests/unit/http/routes_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <future>
#include <sstream>

using namespace weir;
using namespace weir::test;
using nlohmann::json;

namespace {

const std::string base = "/_weir/v1/realms/";
const std::string plain_event = R"({"type":"app.x","content":{"n":1}})";

/// The producer API over a real house on the in-memory store, without a socket:
/// `all` may use every realm, `one` realm `one`.
class realm_fixture {
public:
  explicit realm_fixture(policy::realm_admission::bounds bounds = {}) {
    auto settings = std::make_shared<house_settings>();
    settings->board
      = std::make_shared<bridge_board>(std::vector<appservice_id>{});
    // Somebody sends, but nobody to send to has come yet.
    settings->realms.account = "@weir:x";
    settings->realms.peer.url = "http://hs";
    settings->realms.audience_wait = std::chrono::hours{1};
    house_config config;
    config.settings = settings;
    config.open_store = [this]() -> expected<std::unique_ptr<store>> {
      return database_.connect();
    };
    config.open_reader = [this]() -> expected<std::unique_ptr<store_reader>> {
      return database_.connect_reader();
    };
    config.network = &network_;
    config.elapsed_clock = [] { return milliseconds{0}; };
    config.random = [last = std::make_shared<std::atomic<uint64_t>>(7)] {
      return ++*last * 0x9e3779b97f4a7c15U;
    };
    config.node = "test";
    config.readers = 1;
    config.tokens
      = std::make_shared<const token_authority>(ring_of(old_key_line));
    realm_routes::options to;
    to.producers = make_producers(
      {{"all", "all-token", {"*"}}, {"one", "one-token", {"one"}}});
    to.account = "@weir:x";
    to.bounds = bounds;
    to.tokens = config.tokens;
    to.random = config.random;
    house_ = std::make_unique<house>(std::move(config));
    routes_ = std::make_unique<realm_routes>(house_->realms(), std::move(to));
  }

  body_wish wish(const std::string& method, const std::string& target,
                 const std::string& token = "all-token",
                 std::vector<http_field> fields = {}) {
    request_head head;
    head.method = method;
    head.target = target;
    head.fields = std::move(fields);
    if (!token.empty())
      head.fields.push_back({"Authorization", "Bearer " + token});
    head.arrived = std::chrono::steady_clock::now();
    head.remote = "127.0.0.1:1";
    return routes_->handle(head);
  }
  http_response ask(const std::string& method, const std::string& target,
                    const std::string& body = {},
                    const std::string& token = "all-token") {
    return answered(wish(method, target, token), body);
  }
  json told(const std::string& method, const std::string& target,
            const std::string& body = {}) {
    return json::parse(ask(method, target, body).body);
  }
  /// Hands one event in; its id.
  std::string submit(const std::string& key,
                     const std::string& body = plain_event) {
    const auto answer = ask("PUT", base + "r/events/" + key, body);
    REQUIRE(answer.status == 202);
    return json::parse(answer.body)["event_id"];
  }
  memory_database& database() {
    return database_;
  }
  const producer_counts& counts() const {
    return routes_->counts();
  }

private:
  memory_database database_;
  answering_network network_;
  std::unique_ptr<house> house_;
  std::unique_ptr<realm_routes> routes_;
};

/// Runs `wish` without waiting for its answer.
std::future<http_response> begun(const body_wish& wish) {
  auto promise = std::make_shared<std::promise<http_response>>();
  wish.answer(once_only([promise](http_response response) {
    promise->set_value(std::move(response));
  }));
  return promise->get_future();
}

std::future<http_response> begun_with(const body_wish& wish, std::string body) {
  auto promise = std::make_shared<std::promise<http_response>>();
  wish.take(std::move(body), once_only([promise](http_response response) {
              promise->set_value(std::move(response));
            }));
  return promise->get_future();
}

constexpr std::chrono::seconds patience{20};

} // namespace

TEST_CASE("producers: a4 who has no token is told so, and who may not use a "
          "realm") {
  realm_fixture on;
  const auto path = base + "r/status";
  CHECK(on.ask("GET", path, {}, "").status == 401);
  CHECK(json::parse(on.ask("GET", path, {}, "").body)["errcode"]
        == "M_MISSING_TOKEN");
  const auto unknown = on.ask("GET", path, {}, "no");
  CHECK(unknown.status == 401);
  CHECK(json::parse(unknown.body)["errcode"] == "M_UNKNOWN_TOKEN");
  CHECK(on.ask("GET", path, {}, "one-token").status == 403);
  CHECK(on.ask("GET", base + "one/status", {}, "one-token").status == 200);
  CHECK(on.counts().unauthorised == 3);
  CHECK(on.counts().forbidden == 1);
  CHECK(on.ask("GET", "/_weir/v1/realms/r/nothing").status == 404);
  CHECK(on.ask("POST", path).status == 405);
}

TEST_CASE("producers: e22 an event that comes again is the one that came") {
  realm_fixture on;
  const auto first = on.ask("PUT", base + "r/events/k", plain_event);
  CHECK(first.status == 202);
  const auto again = on.ask("PUT", base + "r/events/k", plain_event);
  CHECK(again.status == 200);
  CHECK(json::parse(first.body)["event_id"]
        == json::parse(again.body)["event_id"]);
  const auto other
    = on.ask("PUT", base + "r/events/k", R"({"type":"app.y","content":{}})");
  CHECK(other.status == 409);
  CHECK(json::parse(other.body)["errcode"] == "ORG.WEIR.KEY_REUSED");
  CHECK(on.counts().queued == 1);
  CHECK(on.counts().replayed == 1);
  CHECK(on.counts().key_reused == 1);
  CHECK(on.told("GET", base + "r/status")["queued_events"] == 1);
}

TEST_CASE("producers: what is wrong is told, and nothing is written") {
  realm_fixture on;
  CHECK(on.ask("PUT", base + "r/events/k", "{").status == 400);
  CHECK(on.told("PUT", base + "r/events/k", "{")["errcode"] == "M_NOT_JSON");
  CHECK(on.told("PUT", base + "r/events/k", "{}")["errcode"] == "M_BAD_JSON");
  CHECK(on.told("PUT", base + "r/rooms/room")["errcode"] == "M_INVALID_PARAM");
  CHECK(on.ask("GET", base + "r/events/none").status == 404);
  CHECK(on.ask("POST", base + "r/events/none/cancel").status == 404);
  CHECK(on.ask("POST", base + "r/events/none/redeliver").status == 404);
  const auto large = R"({"type":"app.x","content":{"n":")"
    + std::string(60'000, 'x') + R"("}})";
  const auto refused = on.ask("PUT", base + "r/events/k", large);
  CHECK(refused.status == 413);
  CHECK(on.told("GET", base + "r/status")["queued_events"] == 0);
}

TEST_CASE("producers: q19 over its bound a realm is 429, over that of all 503, "
          "and when to come again") {
  const std::string kilobyte = R"({"type":"app.x","content":{"n":")"
    + std::string(1'000, 'x') + R"("}})";
  realm_fixture narrow{{2'000, 1'000'000, 0.0}};
  CHECK(narrow.ask("PUT", base + "r/events/1", kilobyte).status == 202);
  const auto full = narrow.ask("PUT", base + "r/events/2", kilobyte);
  CHECK(full.status == 429);
  CHECK(json::parse(full.body)["retry_after_ms"] == 60'000);
  CHECK(find_field(full.fields, "Retry-After") == "60");
  CHECK(narrow.ask("PUT", base + "q/events/2", kilobyte).status == 202);
  realm_fixture crowded{{2'000, 2'000, 0.0}};
  CHECK(crowded.ask("PUT", base + "r/events/1", kilobyte).status == 202);
  CHECK(crowded.ask("PUT", base + "q/events/1", kilobyte).status == 503);
}

TEST_CASE("producers: a bulk request answers each line, and holds what is "
          "behind a refused one") {
  realm_fixture on{{2'000, 1'000'000, 0.0}};
  const auto line = [](const std::string& realm, const std::string& key) {
    return R"({"realm":")" + realm + R"(","key":")" + key
      + R"(","type":"app.x","content":{"n":")" + std::string(600, 'x')
      + R"("}})" + "\n";
  };
  const auto answer
    = on.ask("POST", "/_weir/v1/events/bulk",
             line("a", "1") + line("b", "1") + line("a", "2")
               + R"({"realm":"a","key":"3","type":"app.x","content":{}})");
  CHECK(answer.status == 200);
  CHECK(find_field(answer.fields, "Content-Type") == "application/x-ndjson");
  std::vector<json> lines;
  std::istringstream text{answer.body};
  for (std::string one; std::getline(text, one);)
    lines.push_back(json::parse(one));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["line"] == 1);
  CHECK(lines[0]["status"] == 202);
  CHECK(lines[1]["status"] == 202);
  CHECK(lines[2]["status"] == 429);
  CHECK(lines[2]["errcode"] == "M_LIMIT_EXCEEDED");
  CHECK(lines[3]["errcode"] == "ORG.WEIR.ORDER_HELD");
  const auto mixed
    = answered(on.wish("POST", "/_weir/v1/events/bulk", "one-token"),
               line("one", "1") + line("other", "1"));
  CHECK(mixed.body.find(R"("status":403)") != std::string::npos);
  CHECK(mixed.body.find(R"("status":202)") != std::string::npos);
  CHECK(on.ask("POST", "/_weir/v1/events/bulk", line("a", "9") + "{").status
        == 400);
}

TEST_CASE("producers: an audience is changed by room, by list, and as a whole "
          "by version") {
  realm_fixture on;
  auto told = on.told("PUT", base + "r/rooms/%21a");
  CHECK(told["audience"] == 1);
  CHECK(told["added"] == 1);
  told = on.told("PUT", base + "r/rooms/%21a");
  CHECK(told["added"] == 0);
  // An answer to what no commit is of once ended the process.
  const auto missed = answered(
    on.wish("PUT", base + "r/rooms", "all-token", {{"If-Match", "77"}}),
    R"({"rooms":["!x"]})");
  CHECK(missed.status == 409);
  CHECK(on.ask("POST", base + "r/events/none/cancel").status == 404);
  told = on.told("POST", base + "r/rooms", R"({"add":["!b","!c"]})");
  CHECK(told["audience"] == 3);
  told = on.told("DELETE", base + "r/rooms/%21b");
  CHECK(told["removed"] == 1);
  const auto version = told["audience_version"].get<int>();
  const auto conflict = answered(
    on.wish("PUT", base + "r/rooms", "all-token", {{"If-Match", "\"1\""}}),
    R"({"rooms":["!x"]})");
  CHECK(conflict.status == 409);
  const auto replaced
    = answered(on.wish("PUT", base + "r/rooms", "all-token",
                       {{"if-match", "\"" + std::to_string(version) + "\""}}),
               R"({"rooms":["!y","!x"]})");
  CHECK(replaced.status == 200);
  const auto listed = on.told("GET", base + "r/rooms?limit=1");
  CHECK(listed["audience"] == 2);
  CHECK(listed["rooms"][0]["room_id"] == "!x");
  CHECK(listed["next"] == "!x");
  const auto rest = on.told("GET", base + "r/rooms?from=%21x");
  CHECK(rest["rooms"][0]["room_id"] == "!y");
  CHECK(rest["next"].is_null());
}

TEST_CASE(
  "producers: the token of a write is good for a read, and no other's") {
  realm_fixture on;
  const auto taken = on.told("PUT", base + "one/events/k", plain_event);
  const std::string token = taken["token"];
  const auto path = base + "one/events/" + taken["event_id"].get<std::string>();
  CHECK(on.ask("GET", path + "?after=" + token).status == 200);
  const auto status = on.told("GET", base + "one/status?after=" + token);
  CHECK(
    on.ask("GET", path + "?after=" + status["token"].get<std::string>()).status
    == 200);
  CHECK(on.ask("GET", path + "?after=" + token, {}, "one-token").status == 400);
  CHECK(on.ask("GET", path + "?after=wt1_x").status == 400);
  const auto feed = on.told("GET", "/_weir/v1/outcomes?since=" + token);
  CHECK(feed["errcode"] == "M_INVALID_PARAM");
  CHECK(on.counts().tokens_refused == 3);
}

TEST_CASE("producers: who waits for an event is answered when it is over") {
  realm_fixture on;
  const auto id = on.submit("k");
  const auto path = base + "r/events/" + id + "?wait=settled&timeout_ms=";
  CHECK(on.told("GET", path + "0")["complete"] == false);
  auto waits = begun(on.wish("GET", path + "50000"));
  CHECK(waits.wait_for(std::chrono::milliseconds{0})
        == std::future_status::timeout);
  CHECK(on.ask("POST", base + "r/events/" + id + "/cancel").status == 200);
  REQUIRE(waits.wait_for(patience) == std::future_status::ready);
  const auto told = json::parse(waits.get().body);
  CHECK(told["complete"] == true);
  CHECK(told["outcome"] == "cancelled");
  CHECK(on.told("POST", base + "r/events/" + id + "/cancel")["already_over"]
        == true);
}

TEST_CASE("producers: the feed is waited for, and each sees its own realms") {
  realm_fixture on;
  const auto start = on.told("GET", "/_weir/v1/outcomes");
  CHECK(start["outcomes"].empty());
  auto waits = begun(on.wish("GET",
                             "/_weir/v1/outcomes?timeout_ms=50000&since="
                               + start["next"].get<std::string>()));
  const auto id = on.submit("k");
  on.ask("POST", base + "r/events/" + id + "/cancel");
  REQUIRE(waits.wait_for(patience) == std::future_status::ready);
  const auto told = json::parse(waits.get().body);
  REQUIRE(told["outcomes"].size() == 1);
  CHECK(told["outcomes"][0]["event_id"] == id);
  CHECK(told["outcomes"][0]["realm"] == "r");
  CHECK(told["outcomes"][0]["outcome"] == "cancelled");
  const auto other = on.ask("GET", "/_weir/v1/outcomes", {}, "one-token");
  CHECK(json::parse(other.body)["outcomes"].empty());
}

TEST_CASE("producers: t21 a feed without news is answered empty when its time "
          "is over") {
  realm_fixture on;
  const auto start
    = on.told("GET", "/_weir/v1/outcomes")["next"].get<std::string>();
  const auto began = std::chrono::steady_clock::now();
  const auto told
    = on.told("GET", "/_weir/v1/outcomes?timeout_ms=300&since=" + start);
  CHECK(std::chrono::steady_clock::now() - began
        >= std::chrono::milliseconds{300});
  CHECK(told["outcomes"].empty());
  CHECK(told["more"] == false);
  CHECK(!told["next"].get<std::string>().empty());
}

TEST_CASE("producers: e22 an event is held while the store is away") {
  realm_fixture on;
  on.database().set_away(true);
  auto held = begun_with(on.wish("PUT", base + "r/events/k"), plain_event);
  CHECK(held.wait_for(std::chrono::milliseconds{300})
        == std::future_status::timeout);
  on.database().set_away(false);
  REQUIRE(held.wait_for(patience) == std::future_status::ready);
  CHECK(held.get().status == 202);
}

TEST_CASE("producers: event ids are random and all of one form") {
  uint64_t last = 1;
  const auto draw = [&] { return last += 0x9e3779b97f4a7c15U; };
  const auto first = draw_event_id(draw);
  CHECK(first.size() == 29);
  CHECK(first.starts_with("we_"));
  CHECK(first != draw_event_id(draw));
}
