#include "actors/policy/verdict.hpp"

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr stored_time now{1'717'200'000'000};

verdict of_answer(no_answer failure, int status,
                  std::vector<http_field> fields = {}, std::string body = {}) {
  http_answer answer;
  answer.failure = failure;
  answer.status = status;
  answer.fields = std::move(fields);
  answer.body = std::move(body);
  return judge(answer, now);
}

verdict of_status(int status, std::vector<http_field> fields = {},
                  std::string body = {}) {
  return of_answer(no_answer::none, status, std::move(fields), std::move(body));
}

verdict of_failure(no_answer failure) {
  return of_answer(failure, 0);
}

const std::vector<http_field> in_a_minute{{"Retry-After", "60"}};

void check(const verdict& judged, verdict_kind kind, const std::string& cause) {
  CAPTURE(cause);
  CHECK(to_string(judged.kind) == to_string(kind));
  CHECK(judged.cause == cause);
}

} // namespace

TEST_CASE("verdict: any 2xx is an acknowledgement, whatever the body") {
  for (const int status : {200, 201, 202, 204, 206, 299})
    check(of_status(status), verdict_kind::accepted, "accepted");
  check(of_status(200, in_a_minute, "<html>not json"), verdict_kind::accepted,
        "accepted");
}

TEST_CASE("verdict: an acknowledgement asks for no pause") {
  CHECK(!of_status(200, in_a_minute).retry_after);
}

TEST_CASE("verdict: a head that came whole decides over a broken body") {
  for (const auto failure :
       {no_answer::answer_timeout, no_answer::reset, no_answer::malformed,
        no_answer::too_large, no_answer::aborted}) {
    check(of_answer(failure, 200), verdict_kind::accepted, "accepted");
    check(of_answer(failure, 400), verdict_kind::rejected, "http_400");
  }
}

TEST_CASE("verdict: a redirect is a wrong path and is told by its number") {
  check(of_status(301), verdict_kind::misconfigured_path, "http_301");
  check(of_status(302), verdict_kind::misconfigured_path, "http_302");
  check(of_status(307), verdict_kind::misconfigured_path, "http_307");
  check(of_status(308), verdict_kind::misconfigured_path, "http_308");
  check(of_status(300), verdict_kind::misconfigured_path, "http_3xx");
  check(of_status(304), verdict_kind::misconfigured_path, "http_3xx");
  check(of_status(399), verdict_kind::misconfigured_path, "http_3xx");
}

TEST_CASE("verdict: wrong credentials are never a word about the content") {
  check(of_status(401), verdict_kind::misconfigured_token, "http_401");
  check(of_status(403), verdict_kind::misconfigured_token, "http_403");
  check(of_status(407), verdict_kind::misconfigured_token, "http_407");
}

TEST_CASE("verdict: a wrong way is never a word about the content") {
  check(of_status(404), verdict_kind::misconfigured_path, "http_404");
  check(of_status(405), verdict_kind::misconfigured_path, "http_405");
  check(of_status(410), verdict_kind::misconfigured_path, "http_410");
  check(of_status(421), verdict_kind::misconfigured_path, "http_421");
  check(of_status(426), verdict_kind::misconfigured_path, "http_426");
}

TEST_CASE("verdict: 413 is too big") {
  check(of_status(413), verdict_kind::too_big, "http_413");
}

TEST_CASE("verdict: overload is transient") {
  check(of_status(408), verdict_kind::transient, "http_408");
  check(of_status(425), verdict_kind::transient, "http_425");
  check(of_status(429), verdict_kind::transient, "http_429");
  check(of_status(502), verdict_kind::transient, "http_502");
  check(of_status(503), verdict_kind::transient, "http_503");
  check(of_status(504), verdict_kind::transient, "http_504");
  for (const int status : {501, 505, 507, 511, 520, 599})
    check(of_status(status), verdict_kind::transient, "http_5xx");
}

TEST_CASE("verdict: 500 is no verdict on the content") {
  check(of_status(500), verdict_kind::no_verdict_hang, "http_500");
}

TEST_CASE("verdict: other 4xx reject the content") {
  check(of_status(400), verdict_kind::rejected, "http_400");
  check(of_status(422), verdict_kind::rejected, "http_422");
  for (const int status : {402, 406, 409, 411, 415, 418, 431, 451, 499})
    check(of_status(status), verdict_kind::rejected, "http_4xx");
}

TEST_CASE("verdict: no connection is transient") {
  check(of_failure(no_answer::name), verdict_kind::transient,
        "name_unresolved");
  check(of_failure(no_answer::refused), verdict_kind::transient,
        "connect_refused");
  check(of_failure(no_answer::tls), verdict_kind::transient, "tls");
  check(of_failure(no_answer::connect_timeout), verdict_kind::transient,
        "connect_timeout");
  check(of_failure(no_answer::aborted), verdict_kind::transient, "aborted");
}

TEST_CASE("verdict: silence after the request was sent may be a hang") {
  check(of_failure(no_answer::answer_timeout), verdict_kind::no_verdict_hang,
        "timeout");
  check(of_failure(no_answer::reset), verdict_kind::no_verdict_hang, "reset");
  check(of_failure(no_answer::malformed), verdict_kind::no_verdict_hang,
        "malformed");
  check(of_failure(no_answer::too_large), verdict_kind::no_verdict_hang,
        "answer_too_large");
}

TEST_CASE("verdict: a status that is none is malformed") {
  for (const int status : {-1, 1, 99, 100, 101, 199, 600, 999, 100'000})
    check(of_status(status), verdict_kind::no_verdict_hang, "malformed");
  check(of_status(0), verdict_kind::no_verdict_hang, "malformed");
}

TEST_CASE("verdict: what a peer asks for is passed on for every refusal") {
  for (const int status : {308, 401, 404, 413, 429, 500, 503, 422}) {
    CAPTURE(status);
    CHECK(of_status(status, in_a_minute).retry_after == 60s);
    CHECK(!of_status(status).retry_after);
  }
}

TEST_CASE("verdict: no more causes than a metric can bear") {
  std::set<std::string> causes;
  for (int status = -10; status < 2'000; ++status)
    causes.insert(of_status(status).cause);
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<no_answer>>(
    [&](auto each) { causes.insert(of_failure(each.value).cause); });
  CHECK(causes.size() == 35);
  for (const auto& cause : causes) {
    CAPTURE(cause);
    CHECK(cause.size() <= 16);
    CHECK(cause.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789")
          == std::string::npos);
  }
}
