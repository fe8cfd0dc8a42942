#include "actors/policy/send_verdict.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace weir;
using namespace weir::policy;

namespace {

send_answer html(int status) {
  return {.status = status};
}

send_answer matrix(int status, const std::string& errcode,
                   const std::string& text = {}) {
  return {
    .status = status, .has_json = true, .errcode = errcode, .error = text};
}

send_answer failed(no_answer why) {
  return {.failure = why};
}

struct row {
  send_answer answer;
  send_action action;
  pause_effect effect;
  bool may_be_stored = false;
  bool uses_attempt = false;
};

void check_rows(const std::vector<row>& rows) {
  for (const auto& each : rows) {
    CAPTURE(each.answer.status);
    CAPTURE(each.answer.errcode);
    CAPTURE(static_cast<int>(each.answer.failure));
    const auto judged = judge_send(each.answer, 0);
    CHECK(judged.action == each.action);
    CHECK(judged.effect == each.effect);
    CHECK(judged.may_be_stored == each.may_be_stored);
    CHECK(judged.uses_attempt == each.uses_attempt);
    CHECK(!judged.cause.empty());
  }
}

constexpr auto retry = send_action::retry;
constexpr auto overloaded = pause_effect::overloaded;

} // namespace

TEST_CASE("send verdict: with an event id it is delivered") {
  send_answer answer{.status = 200, .has_json = true};
  answer.has_event_id = true;
  const auto judged = judge_send(answer, 0);
  CHECK(judged.action == send_action::delivered);
  CHECK(judged.effect == pause_effect::none);
  CHECK(judged.cause == "delivered");
}

TEST_CASE("send verdict: success without an event id is unknown") {
  check_rows({
    {html(200), retry, overloaded, true},
    {{.status = 200, .has_json = true}, retry, overloaded, true},
    {html(204), retry, overloaded, true},
    {html(100), retry, overloaded, true},
  });
}

TEST_CASE("send verdict: q24 back-pressure is 429, 502 to 504, no connection "
          "and time-outs") {
  check_rows({
    {html(429), retry, pause_effect::limited},
    {matrix(429, "M_LIMIT_EXCEEDED"), retry, pause_effect::limited},
    {html(502), retry, overloaded, true},
    {html(503), retry, overloaded},
    {html(504), retry, overloaded, true},
    {html(599), retry, overloaded},
    {html(500), retry, overloaded, true},
    {html(408), retry, overloaded},
    {html(425), retry, overloaded},
    {failed(no_answer::name), retry, overloaded},
    {failed(no_answer::refused), retry, overloaded},
    {failed(no_answer::tls), retry, overloaded},
    {failed(no_answer::connect_timeout), retry, overloaded},
    {failed(no_answer::answer_timeout), retry, overloaded, true},
    {failed(no_answer::reset), retry, overloaded, true},
    {failed(no_answer::malformed), retry, overloaded, true},
    {failed(no_answer::too_large), retry, overloaded, true},
    {failed(no_answer::aborted), retry, pause_effect::unknown, true},
  });
}

TEST_CASE("send verdict: q36 a sender that is not in the room is looked up") {
  check_rows({
    {matrix(403, "M_FORBIDDEN", "User @w:hs not in room !a:hs"),
     send_action::check_membership, pause_effect::none},
    {matrix(403, "M_FORBIDDEN", "power level"), send_action::dead_letter,
     pause_effect::none},
    {matrix(403, "ORG.EXAMPLE.SPAM"), send_action::dead_letter,
     pause_effect::none},
    {html(403), retry, overloaded},
    {{.status = 403, .has_json = true}, retry, overloaded},
  });
}

TEST_CASE("send verdict: what concerns the account holds it and no room") {
  for (const auto* each : {"M_CONSENT_NOT_GIVEN", "M_RESOURCE_LIMIT_EXCEEDED",
                           "M_USER_SUSPENDED", "M_USER_DEACTIVATED"})
    check_rows({{matrix(403, each), retry, pause_effect::account_held}});
  for (const auto* each : {"M_USER_LOCKED", "M_USER_DEACTIVATED", "M_OTHER"})
    check_rows({{matrix(401, each), retry, pause_effect::account_held}});
}

TEST_CASE("send verdict: a session that is gone is logged in again") {
  for (const auto* each : {"M_UNKNOWN_TOKEN", "M_MISSING_TOKEN"})
    check_rows({{matrix(401, each), send_action::log_in, pause_effect::none}});
  // The same words under another status are a refusal.
  check_rows({{matrix(403, "M_UNKNOWN_TOKEN"), send_action::dead_letter,
               pause_effect::none}});
}

TEST_CASE("send verdict: d10 a device that is gone is made by a sign-in") {
  check_rows({
    {matrix(400, "M_UNKNOWN_DEVICE"), send_action::log_in, pause_effect::none},
    {matrix(401, "M_UNKNOWN_DEVICE"), send_action::log_in, pause_effect::none},
  });
  CHECK(judge_send(matrix(400, "M_UNKNOWN_DEVICE"), 0).cause
        == "unknown_device");
}

TEST_CASE("send verdict: what is not served there holds the homeserver") {
  for (const int each : {401, 404, 405, 407, 410, 421, 426, 301, 302, 307, 308})
    check_rows({{html(each), retry, pause_effect::homeserver_held}});
  check_rows({
    {matrix(404, "M_UNRECOGNIZED"), retry, pause_effect::homeserver_held},
    {matrix(404, "M_NOT_FOUND"), send_action::dead_letter, pause_effect::none},
    {matrix(405, "M_UNRECOGNIZED"), send_action::dead_letter,
     pause_effect::none},
  });
}

TEST_CASE("send verdict: what will never be taken is a dead letter at once") {
  check_rows({
    {matrix(413, "M_TOO_LARGE"), send_action::dead_letter, pause_effect::none},
    {html(413), send_action::dead_letter, pause_effect::none},
    {matrix(400, "M_BAD_JSON"), send_action::dead_letter, pause_effect::none},
    {matrix(400, "M_INVALID_PARAM"), send_action::dead_letter,
     pause_effect::none},
    {matrix(400, "M_DUPLICATE_ANNOTATION"), send_action::dead_letter,
     pause_effect::none},
    {matrix(418, "M_TEAPOT"), send_action::dead_letter, pause_effect::none},
  });
}

TEST_CASE("send verdict: an error of the homeserver uses attempts and its "
          "room's time alone") {
  check_rows({
    {matrix(500, "M_UNKNOWN"), retry, pause_effect::room, true, true},
    {html(400), retry, pause_effect::room, false, true},
    {html(422), retry, pause_effect::room, false, true},
  });
}

TEST_CASE("send verdict: q29 the fifth answer that uses an attempt is the "
          "last") {
  const auto internal = matrix(500, "M_UNKNOWN");
  CHECK(judge_send(internal, 3).action == retry);
  CHECK(judge_send(internal, 4).action == send_action::dead_letter);
  CHECK(judge_send(internal, 4).effect == pause_effect::room);
}

TEST_CASE("send verdict: d7 failures without a verdict never give up") {
  for (const auto& each :
       {html(429), html(502), html(503), html(504), html(200), html(403),
        html(404), failed(no_answer::answer_timeout),
        failed(no_answer::refused), failed(no_answer::aborted)}) {
    const auto judged = judge_send(each, 1'000'000);
    CHECK(judged.action == retry);
    CHECK(!judged.uses_attempt);
  }
}

TEST_CASE("send verdict: causes come from a bounded set") {
  CHECK(judge_send(matrix(403, "M_FORBIDDEN"), 0).cause == "forbidden");
  CHECK(judge_send(matrix(401, "M_UNKNOWN_TOKEN"), 0).cause == "unknown_token");
  CHECK(judge_send(matrix(413, "M_TOO_LARGE"), 0).cause == "too_large");
  CHECK(judge_send(matrix(403, "M_WHATEVER_ELSE"), 0).cause == "http_4xx");
  CHECK(judge_send(html(302), 0).cause == "http_3xx");
  CHECK(judge_send(html(503), 0).cause == "http_503");
  CHECK(judge_send(failed(no_answer::answer_timeout), 0).cause
        == "answer_timeout");
}

TEST_CASE("send verdict: q34 a login under overload is back-pressure") {
  for (const int status : {429, 502, 503, 504})
    CHECK(judge_login(html(status), false).result == login_result::retry);
  CHECK(judge_login(html(502), false).effect == overloaded);
  CHECK(judge_login(html(429), false).effect == pause_effect::limited);
  CHECK(judge_login(html(200), false).result == login_result::retry);
  CHECK(judge_login(failed(no_answer::refused), false).result
        == login_result::retry);
  CHECK(judge_login(matrix(500, "M_UNKNOWN"), false).effect == overloaded);
}

TEST_CASE("send verdict: q34 a login that is refused holds the account") {
  const auto refused = judge_login(matrix(403, "M_FORBIDDEN"), false);
  CHECK(refused.result == login_result::refused);
  CHECK(refused.effect == pause_effect::account_held);
  CHECK(judge_login(matrix(401, "M_UNKNOWN_TOKEN"), false).result
        == login_result::refused);
  CHECK(judge_login(matrix(403, "M_USER_DEACTIVATED"), false).result
        == login_result::refused);
  const send_answer good{.status = 200, .has_json = true};
  CHECK(judge_login(good, true).result == login_result::logged_in);
  CHECK(judge_login(good, true).effect == pause_effect::none);
}

TEST_CASE("send verdict: d9 a send that is bound and older than 23 hours is "
          "uncertain") {
  const stored_time bound{1'000};
  CHECK(!is_uncertain(
    bound, bound + std::chrono::hours{23} - std::chrono::milliseconds{1}));
  CHECK(is_uncertain(bound, bound + std::chrono::hours{23}));
  CHECK(!is_uncertain(bound, stored_time{0}));
}
