#include "http/proxy.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace std::chrono_literals;

namespace {

request_head asked(std::vector<http_field> fields, std::string method = "GET") {
  request_head head;
  head.method = std::move(method);
  head.target = "/ignored";
  head.fields = std::move(fields);
  return head;
}

const proxy_link modern{{"http://bridge:1", ""}, "tok/en"};
const proxy_link legacy{{"http://bridge:1", ""}, "tok/en", true};

std::string target_of(std::string_view forward, const proxy_link& link) {
  return proxy_request(asked({}), forward, {}, link).target;
}

http_answer failed(no_answer why) {
  http_answer answer;
  answer.failure = why;
  return answer;
}

http_answer answered(int status) {
  http_answer answer;
  answer.status = status;
  return answer;
}

} // namespace

TEST_CASE("proxy: method, raw target and body go to the bridge as they are") {
  const auto request = proxy_request(
    asked({}, "POST"), "/users/@a%3Ab//c?x=%41", shared_bytes{"{}"}, modern);
  CHECK(request.method == "POST");
  CHECK(request.peer == modern.peer);
  CHECK(request.target == "/users/@a%3Ab//c?x=%41");
  CHECK(request.body.view() == "{}");
  CHECK(request.whole_body);
}

TEST_CASE("proxy: fields of one connection are left out, the others stay") {
  const auto request
    = proxy_request(asked({{"Host", "weir"},
                           {"Accept", "application/json"},
                           {"CONNECTION", "close, X-One ,x-two"},
                           {"x-one", "1"},
                           {"X-Two", "2"},
                           {"X-Three", "3"},
                           {"Keep-Alive", "5"},
                           {"Proxy-Connection", "x"},
                           {"TE", "trailers"},
                           {"Trailer", "x"},
                           {"Transfer-Encoding", "chunked"},
                           {"Upgrade", "h2c"},
                           {"Expect", "100-continue"},
                           {"Content-Length", "7"},
                           {"User-Agent", "Synapse/1"}}),
                    "/users/x", {}, modern);
  CHECK(request.fields
        == std::vector<http_field>{{"Accept", "application/json"},
                                   {"X-Three", "3"},
                                   {"User-Agent", "Synapse/1"},
                                   {"Authorization", "Bearer tok/en"}});
}

TEST_CASE("proxy: the bridge reads its own token, once") {
  const auto request = proxy_request(
    asked({{"authorization", "Bearer theirs"}, {"Authorization", "x"}}),
    "/users/x", {}, modern);
  CHECK(request.fields
        == std::vector<http_field>{{"Authorization", "Bearer tok/en"}});
}

TEST_CASE("proxy: only a legacy bridge reads a query token, and its own") {
  CHECK(target_of("/users/x?access_token=theirs", modern) == "/users/x");
  CHECK(target_of("/users/x?a=1&access_token=theirs", modern)
        == "/users/x?a=1");
  CHECK(target_of("/users/x?access_token=theirs", legacy)
        == "/users/x?access_token=tok%2Fen");
  CHECK(target_of("/users/x", legacy) == "/users/x?access_token=tok%2Fen");
  CHECK(target_of("/users/x?", legacy) == "/users/x?access_token=tok%2Fen");
  CHECK(target_of("/users/x?a=%41", legacy)
        == "/users/x?a=%41&access_token=tok%2Fen");
}

TEST_CASE("proxy: a body without a type is JSON, another type is kept") {
  const auto type_of = [](std::vector<http_field> fields, std::string body) {
    return std::string{
      find_field(proxy_request(asked(std::move(fields)), "/x",
                               shared_bytes{std::move(body)}, modern)
                   .fields,
                 "content-type")};
  };
  CHECK(type_of({}, "{}") == "application/json");
  CHECK(type_of({}, "") == "");
  CHECK(type_of({{"content-type", "text/plain"}}, "{}") == "text/plain");
}

TEST_CASE("proxy: the phases together last no longer than the wait") {
  const auto request = proxy_request(asked({}), "/x", {}, modern);
  const auto& parts = request.deadlines;
  CHECK(parts.connect + parts.answer + parts.body == modern.wait);
  CHECK(parts.answer > parts.connect);
  CHECK(modern.wait < 30s);
}

TEST_CASE("proxy: status, type and body of the bridge come back as they are") {
  http_answer answer;
  answer.status = 308;
  answer.fields = {{"Content-Type", "text/html"},
                   {"Connection", "keep-alive, X-Hop"},
                   {"X-Hop", "1"},
                   {"Content-Length", "5"},
                   {"Location", "/elsewhere"}};
  answer.body = "moved";
  const auto response = proxy_response(answer);
  CHECK(response.status == 308);
  CHECK(response.fields
        == std::vector<http_field>{{"Content-Type", "text/html"},
                                   {"Location", "/elsewhere"}});
  CHECK(response.body == "moved");
  CHECK(!response.close);
}

TEST_CASE("proxy: a bridge's own 404 and 401 are passed on") {
  CHECK(proxy_response(answered(404)).status == 404);
  CHECK(proxy_response(answered(401)).status == 401);
}

TEST_CASE("proxy: without an answer it is 502 or 504 and never 404") {
  for (const auto why :
       {no_answer::name, no_answer::refused, no_answer::tls, no_answer::reset,
        no_answer::malformed, no_answer::too_large, no_answer::aborted})
    CHECK(proxy_response(failed(why)).status == 502);
  CHECK(proxy_response(failed(no_answer::connect_timeout)).status == 504);
  CHECK(proxy_response(failed(no_answer::answer_timeout)).status == 504);
  CHECK(proxy_response(answered(101)).status == 502);
  CHECK(proxy_response(answered(0)).status == 502);
  CHECK(proxy_response(answered(999)).status == 502);
  const auto body
    = nlohmann::json::parse(proxy_response(failed(no_answer::refused)).body);
  CHECK(body["errcode"] == "ORG.WEIR.BRIDGE_UNREACHABLE");
  CHECK(body["error"].is_string());
}

TEST_CASE("proxy: only a failed protocol look-up is tried again, for a while") {
  const std::string_view protocol = "/_matrix/app/v1/thirdparty/protocol/irc?x";
  const auto refused = failed(no_answer::refused);
  CHECK(may_retry(protocol, refused, 1, 0ms));
  CHECK(may_retry("/_matrix/app/unstable/thirdparty/protocol/irc", refused, 1,
                  0ms));
  CHECK(may_retry(protocol, answered(503), 1, 4499ms));
  CHECK(!may_retry(protocol, refused, 1, 4500ms));
  CHECK(!may_retry(protocol, refused, 8, 0ms));
  CHECK(may_retry(protocol, refused, 7, 0ms));
  CHECK(!may_retry("/_matrix/app/v1/thirdparty/user/irc", refused, 1, 0ms));
  CHECK(!may_retry("/_matrix/app/v1/users/x", refused, 1, 0ms));
  CHECK(!may_retry(protocol, answered(200), 1, 0ms));
  CHECK(!may_retry(protocol, answered(404), 1, 0ms));
  CHECK(!may_retry(protocol, answered(500), 1, 0ms));
  CHECK(!may_retry(protocol, failed(no_answer::answer_timeout), 1, 0ms));
}
