#include "tests/unit/http/routes_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::seconds;

const std::string query = "/_matrix/app/v1/users/@a:b";
constexpr size_t bound = passed_on_per_bridge_max;

/// The answer to one request, when it has come. Thread-safe.
class told {
public:
  reply to_be_called() {
    return [held = held_](http_response response) {
      const std::lock_guard guard{held->mutex};
      held->response = std::move(response);
    };
  }
  [[nodiscard]] std::optional<http_response> response() const {
    const std::lock_guard guard{held_->mutex};
    return held_->response;
  }

private:
  struct cell {
    std::mutex mutex;
    std::optional<http_response> response;
  };
  std::shared_ptr<cell> held_ = std::make_shared<cell>();
};

std::vector<told> ask_in_vain(routes_fixture& on, size_t count,
                              const std::string& appservice = "irc") {
  std::vector<told> askers(count);
  for (auto& each : askers)
    on.wish("GET", query, appservice).take({}, each.to_be_called());
  return askers;
}

size_t answered_in(const std::vector<told>& askers) {
  return static_cast<size_t>(
    std::count_if(askers.begin(), askers.end(), [](const told& each) {
      return each.response().has_value();
    }));
}

} // namespace

TEST_CASE(
  "routes: a bridge that hangs once took every connection with what was "
  "asked of it") {
  routes_fixture on;
  on.appservices.emplace_back("slack", "http://slack");
  on.network.hangs = [](const http_request& request) {
    return request.peer.url == "http://irc";
  };
  on.start();
  const auto waiting = ask_in_vain(on, bound);
  const auto refused = ask_in_vain(on, 3);
  CHECK(answered_in(waiting) == 0);
  REQUIRE(answered_in(refused) == 3);
  const auto answer = *refused.front().response();
  CHECK(answer.status == 502);
  const auto body = nlohmann::json::parse(answer.body);
  CHECK(body["errcode"] == "ORG.WEIR.BRIDGE_UNREACHABLE");
  CHECK(on.counts().too_many == 3);
  CHECK(on.counts().proxied == bound);
  // Others, transactions, and pings that are ours are served all the while.
  CHECK(on.ask("GET", query, {}, "slack").status == 200);
  CHECK(
    on.ask("PUT", "/_matrix/app/v1/transactions/1", R"({"events":[]})").status
    == 200);
  const auto own
    = nlohmann::json{{"transaction_id", on.pings().make_id({"irc"})}};
  CHECK(on.ask("POST", "/_matrix/app/v1/ping", own.dump()).status == 200);
}

TEST_CASE("routes: an answer makes room for the next request") {
  routes_fixture on;
  on.network.hangs = [](const http_request&) { return true; };
  on.start();
  const auto waiting = ask_in_vain(on, bound);
  while (on.network.hanging() < bound)
    std::this_thread::yield();
  on.network.answer_one(answer_of(200));
  while (answered_in(waiting) == 0)
    std::this_thread::yield();
  const auto next = ask_in_vain(on, 2);
  CHECK(answered_in(next) == 1);
  CHECK(on.counts().too_many == 1);
}

TEST_CASE(
  "routes: a bridge that let one wait in vain is waited for less, until "
  "it answers") {
  routes_fixture on;
  std::atomic<bool> answers = false;
  on.network.script = [&](const http_request&) {
    return answers ? answer_of(404)
                   : unanswered(no_answer::answer_timeout, "hangs");
  };
  on.start();
  CHECK(on.ask("GET", query).status == 504);
  CHECK(on.ask("GET", query).status == 504);
  answers = true;
  CHECK(on.ask("GET", query).status == 404);
  CHECK(on.ask("GET", query).status == 404);
  const auto sent = on.network.sent();
  REQUIRE(sent.size() == 4);
  CHECK(sent[0].deadlines.answer > seconds{2});
  CHECK(sent[1].deadlines.answer == seconds{2});
  CHECK(sent[2].deadlines.answer == seconds{2});
  CHECK(sent[3].deadlines.answer > seconds{2});
}
