#include "actors/policy/retry_after.hpp"
#include "schema/limits.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

/// Sat, 01 Jun 2024 00:00:00 GMT
constexpr stored_time now{1'717'200'000'000};
constexpr milliseconds longest = limits::retry_after_max;

std::optional<milliseconds> asked_by(std::vector<http_field> fields,
                                     std::string body = {}) {
  http_answer answer;
  answer.status = 503;
  answer.fields = std::move(fields);
  answer.body = std::move(body);
  give_date(answer, now);
  return retry_after(answer, now);
}

std::optional<milliseconds> of_field(const std::string& value) {
  return asked_by({{"Retry-After", value}});
}

std::optional<milliseconds> of_body(const std::string& body) {
  return asked_by({}, body);
}

} // namespace

TEST_CASE("retry_after: an answer that asks for nothing gives nothing") {
  CHECK(!asked_by({}));
  CHECK(!asked_by({{"Content-Type", "text/html"}}, "busy"));
}

TEST_CASE("retry_after: seconds may have decimals and white space") {
  CHECK(of_field("120") == 120s);
  CHECK(of_field(" \t7 ") == 7s);
  CHECK(of_field("1.5") == 1'500ms);
  CHECK(of_field("0010") == 10s);
}

TEST_CASE("retry_after: zero is a request and not an absent one") {
  CHECK(of_field("0") == 0ms);
  CHECK(of_field("0.0") == 0ms);
  CHECK(of_body(R"({"retry_after_ms":0})") == 0ms);
  CHECK(of_field("Sat, 01 Jun 2024 00:00:00 GMT") == 0ms);
}

TEST_CASE("retry_after: parts of a millisecond are never cut off") {
  CHECK(of_field("0.0001") == 1ms);
  CHECK(of_field("1.0001") == 1'001ms);
  CHECK(of_field("0." + std::string(400, '0') + "1") == 1ms);
  CHECK(of_body(R"({"retry_after_ms":1500.25})") == 1'501ms);
}

TEST_CASE("retry_after: nonsense is as if it were not there") {
  for (const auto* value :
       {"", " ", "-1", "-0.5", "+5", "1e3", "0x10", "5s", "5 s", "5,5", "5.",
        ".5", "1.2.3", "1 2", "nan", "inf", "infinity", "soon", "."}) {
    CAPTURE(value);
    CHECK(!of_field(value));
  }
}

TEST_CASE("retry_after: long requests are cut to the cap") {
  CHECK(of_field("899") == 899s);
  CHECK(of_field("900") == longest);
  CHECK(of_field("901") == longest);
  CHECK(of_field("99999999999999999999999999") == longest);
  CHECK(of_field(std::string(2'000, '9')) == longest);
  CHECK(of_field("Fri, 31 Dec 9999 23:59:59 GMT") == longest);
  CHECK(of_body(R"({"retry_after_ms":900001})") == longest);
  CHECK(of_body(R"({"retry_after_ms":18446744073709551615})") == longest);
  CHECK(of_body(R"({"retry_after_ms":1e300})") == longest);
}

TEST_CASE("retry_after: a date without a Date counts from the arrival") {
  CHECK(of_field("Sat, 01 Jun 2024 00:00:30 GMT") == 30s);
  CHECK(of_field("Saturday, 01-Jun-24 00:00:30 GMT") == 30s);
  CHECK(of_field(" Sat Jun  1 00:00:30 2024 ") == 30s);
}

TEST_CASE("retry_after: a date counts from the answer's own Date") {
  const auto with_date = [](const char* date) {
    return asked_by(
      {{"date", date}, {"Retry-After", "Sat, 01 Jun 2024 10:00:05 GMT"}});
  };
  CHECK(with_date("Sat, 01 Jun 2024 10:00:00 GMT") == 5s);
  CHECK(with_date("Saturday, 01-Jun-24 10:00:01 GMT") == 4s);
  CHECK(with_date("ten o'clock") == longest); // 10 h from now.
}

TEST_CASE("retry_after: a date was once compared with the store's time, which "
          "differs after a step of the clock") {
  http_answer answer;
  answer.fields = {{"Retry-After", "Sat, 01 Jun 2024 00:01:00 GMT"}};
  give_date(answer, now);
  for (const auto step : {-3h, 0h, 3h}) {
    CAPTURE(step.count());
    CHECK(retry_after(answer, now + step) == 60s);
  }
}

TEST_CASE(
  "retry_after: a Date is given where a pause is asked for and none can "
  "be read, cut to the second") {
  const auto dates_of = [](std::vector<http_field> fields) {
    http_answer answer;
    answer.fields = std::move(fields);
    give_date(answer, now + 999ms);
    std::vector<std::string> dates;
    for (const auto& field : answer.fields)
      if (same_field_name(field.name, "date"))
        dates.push_back(field.value);
    return dates;
  };
  const std::vector<std::string> given{"Sat, 01 Jun 2024 00:00:00 GMT"};
  const std::string own = "Sat, 01 Jun 2024 10:00:00 GMT";
  CHECK(dates_of({}).empty());
  CHECK(dates_of({{"RETRY-AFTER", "1"}}) == given);
  CHECK(dates_of({{"date", "soon"}, {"Retry-After", "1"}}) == given);
  CHECK(dates_of({{"date", own}, {"Retry-After", "1"}})
        == std::vector<std::string>{own});
}

TEST_CASE("retry_after: a date that has passed is no request") {
  CHECK(!of_field("Fri, 31 May 2024 23:59:59 GMT"));
  CHECK(of_field("Sat, 01 Jun 2024 00:00:01 GMT") == 1s);
}

TEST_CASE("retry_after: a Matrix error's body is read, and only its top") {
  CHECK(of_body(
          R"({"errcode":"M_LIMIT_EXCEEDED","error":"x","retry_after_ms":2000})")
        == 2s);
  for (const auto* body :
       {R"({"retry_after_ms":-1})", R"({"retry_after_ms":"2000"})",
        R"({"retry_after_ms":null})", R"({"retry_after_ms":true})",
        R"({"error":{"retry_after_ms":2000}})", R"([{"retry_after_ms":2000}])",
        R"({"retry_after_ms":2000)", R"({"retry_after_ms":1e999})",
        R"("retry_after_ms")", R"(retry_after_ms: 2000)"}) {
    CAPTURE(body);
    CHECK(!of_body(body));
  }
}

TEST_CASE("retry_after: a deeply nested body is no danger") {
  const std::string deep = "{\"retry_after_ms\":5,\"a\":"
    + std::string(30'000, '[') + std::string(30'000, ']') + "}";
  CHECK(of_body(deep) == 5ms);
}

TEST_CASE("retry_after: the longest request that makes sense wins") {
  CHECK(
    asked_by(
      {{"retry-after", "1"}, {"RETRY-AFTER", "3"}, {"Retry-After", "later"}},
      R"({"retry_after_ms":2000})")
    == 3s);
  CHECK(asked_by({{"Retry-After", "1"}}, R"({"retry_after_ms":2000})") == 2s);
  CHECK(asked_by({{"Retry-After-Ms", "9"}, {"Retry", "9"}},
                 R"({"retry_after_ms":2000})")
        == 2s);
}

TEST_CASE("retry_after: any bytes give nothing or a bounded pause") {
  std::mt19937_64 random{35};
  constexpr std::string_view alphabet = "0123456789.-+eE ,:GMTSunNov{}[]\"";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto length = random() % 24; length > 0; --length)
      text.push_back(alphabet[random() % alphabet.size()]);
    CAPTURE(text);
    for (const auto& asked :
         {of_field(text), of_body("{\"retry_after_ms\":" + text + "}")})
      if (asked) {
        REQUIRE(*asked >= 0ms);
        REQUIRE(*asked <= longest);
      }
  }
}
