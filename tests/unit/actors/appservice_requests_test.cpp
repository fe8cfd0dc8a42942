#include "actors/appservice_requests.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace std::chrono_literals;

namespace {

queue_settings bridge_with(std::string token) {
  queue_settings to;
  to.id = {"irc"};
  to.peer.url = "http://irc/base";
  to.hs_token = secret{std::move(token)};
  to.deadlines = {1s, 120s, 10s};
  return to;
}

owed_transaction owed() {
  owed_transaction what;
  what.id = {"1a2b-7"};
  what.body = shared_bytes{std::string{R"({"events":[]})"}};
  what.elements = 1;
  return what;
}

http_answer answer_of(int status) {
  http_answer answer;
  answer.status = status;
  return answer;
}

http_answer failed(no_answer why) {
  http_answer answer;
  answer.failure = why;
  return answer;
}

policy::delivery sending(bool dead_letter) {
  policy::delivery::limits bounds;
  bounds.pause.first = 1s;
  bounds.pause.ceiling = 60s;
  bounds.poison.rejections = 1;
  bounds.dead_letter = dead_letter;
  policy::delivery result{bounds};
  result.pinned({"1a2b-7", 1, false}, instant{1h});
  return result;
}

} // namespace

TEST_CASE("appservice requests: a transaction is a PUT of the pinned bytes") {
  const auto request = transaction_request_to(bridge_with("t"), owed(), false);
  CHECK(request.method == "PUT");
  CHECK(request.peer.url == "http://irc/base");
  CHECK(request.target == "/_matrix/app/v1/transactions/1a2b-7");
  CHECK(request.body.view() == R"({"events":[]})");
  CHECK(find_field(request.fields, "authorization") == "Bearer t");
  CHECK(find_field(request.fields, "content-type") == "application/json");
  CHECK(request.deadlines.answer == 120s);
  CHECK(transaction_request_to(bridge_with("t"), owed(), true).target
        == "/transactions/1a2b-7");
}

TEST_CASE("appservice requests: a ping is short, a transaction is not") {
  const auto request = ping_request_to(bridge_with("t"));
  CHECK(request.method == "POST");
  CHECK(request.target == "/_matrix/app/v1/ping");
  CHECK(request.body.view() == "{}");
  CHECK(request.deadlines.answer < 120s);
}

TEST_CASE("appservice requests: a token in the query is escaped") {
  auto to = bridge_with("a+b&c=d#e%f/~");
  CHECK(ping_request_to(to).target == "/_matrix/app/v1/ping");
  to.query_token = true;
  CHECK(ping_request_to(to).target
        == "/_matrix/app/v1/ping?access_token=a%2Bb%26c%3Dd%23e%25f%2F~");
  CHECK(transaction_request_to(to, owed(), false).target
        == "/_matrix/app/v1/transactions/1a2b-7"
           "?access_token=a%2Bb%26c%3Dd%23e%25f%2F~");
}

TEST_CASE("appservice requests: only an answer of the bridge shows life") {
  for (const int status : {200, 204, 301, 401, 404, 429, 499})
    CHECK_MESSAGE(shows_life(answer_of(status)), status);
  for (const int status : {500, 502, 503, 504})
    CHECK_FALSE_MESSAGE(shows_life(answer_of(status)), status);
  CHECK_FALSE(shows_life(failed(no_answer::reset)));
  CHECK_FALSE(shows_life(failed(no_answer::answer_timeout)));
}

TEST_CASE("appservice requests: a bridge is away when no connection came") {
  for (const auto why : {no_answer::name, no_answer::refused, no_answer::tls,
                         no_answer::connect_timeout})
    CHECK(never_connected(failed(why)));
  for (const auto why :
       {no_answer::none, no_answer::reset, no_answer::answer_timeout,
        no_answer::malformed, no_answer::too_large, no_answer::aborted})
    CHECK_FALSE(never_connected(failed(why)));
}

TEST_CASE("appservice requests: a status tells durations, not moments") {
  auto delivery = sending(true);
  const policy::verdict away{policy::verdict_kind::transient, "http_503", {}};
  delivery.answered(away, instant{1h}, instant{1h + 2s}, 0);
  const auto status = status_of({"irc"}, delivery, instant{1h + 2500ms});
  CHECK(status.queue == "appservice/irc");
  CHECK(status.state == "resting");
  CHECK(status.cause == "http_503");
  CHECK(status.in_state == 500ms);
  CHECK(status.next_in == 500ms);
  CHECK(status.last_error == "http_503");
  CHECK(status.since_error == 500ms);
  CHECK(status.attempts == 1);
  CHECK(summary_of(status) == "resting/http_503/1");
}

TEST_CASE("appservice requests: the number of tries is not told of a flow") {
  auto delivery = sending(true);
  auto status = status_of({"irc"}, delivery, instant{1h});
  CHECK(status.next_in < 0ms);
  CHECK(summary_of(status) == "flowing/");
  status.attempts = 9;
  CHECK(summary_of(status) == "flowing/");
}
