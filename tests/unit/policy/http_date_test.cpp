#include "actors/policy/http_date.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <ctime>
#include <random>
#include <string>

using namespace weir;
using namespace weir::policy;

namespace {

constexpr stored_time in_2024{1'717'200'000'000};
constexpr stored_time example{784'111'777'000}; // RFC 9110's own example.

std::string formatted(const char* form, std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, form, &parts)};
}

} // namespace

TEST_CASE("http_date: the three forms of RFC 9110 are one moment") {
  for (const auto* text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994"}) {
    CAPTURE(text);
    CHECK(parse_http_date(text, in_2024) == example);
  }
}

TEST_CASE("http_date: what is written is read again, to the second") {
  CHECK(to_http_date(example) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(to_http_date(example + milliseconds{999})
        == "Sun, 06 Nov 1994 08:49:37 GMT");
  std::mt19937_64 random{7};
  for (int round = 0; round < 1'000; ++round) {
    const stored_time at{static_cast<int64_t>(random() % 4'102'444'800)
                         * 1'000};
    CHECK(parse_http_date(to_http_date(at), in_2024) == at);
  }
}

TEST_CASE("http_date: asctime pads the day with a space or not at all") {
  CHECK(parse_http_date("Wed Nov 16 08:49:37 1994", in_2024)
        == example + std::chrono::days{10});
}

TEST_CASE("http_date: a two-digit year is at most fifty years ahead") {
  const auto of_year = [](const char* year) {
    return parse_http_date(
      std::string{"Monday, 01-Jan-"} + year + " 00:00:00 GMT", in_2024);
  };
  CHECK(of_year("74")
        == parse_http_date("Mon, 01 Jan 2074 00:00:00 GMT", in_2024));
  CHECK(of_year("75")
        == parse_http_date("Mon, 01 Jan 1975 00:00:00 GMT", in_2024));
  CHECK(of_year("24")
        == parse_http_date("Mon, 01 Jan 2024 00:00:00 GMT", in_2024));
}

TEST_CASE("http_date: a leap second counts as the second before it") {
  CHECK(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT", in_2024)
        == parse_http_date("Sat, 31 Dec 2016 23:59:59 GMT", in_2024));
}

TEST_CASE("http_date: what is no date is nothing") {
  for (const auto* text : {"",
                           "120",
                           "GMT",
                           "Sun",
                           "Sun,",
                           "Sun, 06 Nov 1994 08:49:37",
                           "Sun, 06 Nov 1994 08:49:37 CET",
                           "Sun, 06 Nov 1994 08:49:37 GMT ",
                           "Sun, 6 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 94 08:49:37 GMT",
                           "Sun, 31 Nov 1994 08:49:37 GMT",
                           "Sun, 00 Nov 1994 08:49:37 GMT",
                           "Sun, 0: Nov 1994 08:49:37 GMT",
                           "Sun, 1/ Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nix 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 24:00:00 GMT",
                           "Sun, 06 Nov 1994 08:60:37 GMT",
                           "Sun, 06 Nov 1994 08:49:61 GMT",
                           "Sun, 06 Nov 1994 8:49:37 GMT",
                           "Sun,06 Nov 1994 08:49:37 GMT",
                           "Su, 06 Nov 1994 08:49:37 GMT",
                           "06 Nov 1994 08:49:37 GMT",
                           "Sunday, 06-Nov-1994 08:49:37 GMT",
                           "Sunday, 06-Nov 94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994 GMT",
                           "Sun Nov 6 08:49:37 1994",
                           "Sun Nov   6 08:49:37 1994",
                           "1994-11-06T08:49:37Z",
                           "Wed, 29 Feb 2023 00:00:00 GMT"}) {
    CAPTURE(text);
    CHECK(!parse_http_date(text, in_2024));
  }
}

TEST_CASE("http_date: every moment of a century comes back from each form") {
  std::mt19937_64 random{1994};
  for (int round = 0; round < 3'000; ++round) {
    // 1975 to 2074, so that two digits name one year.
    const auto seconds
      = static_cast<std::time_t>(157'766'400 + random() % 3'155'000'000);
    const stored_time moment{seconds * 1000};
    for (const auto* form :
         {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
          "%a %b %e %H:%M:%S %Y"}) {
      const auto text = formatted(form, seconds);
      CAPTURE(text);
      REQUIRE(parse_http_date(text, in_2024) == moment);
    }
  }
}
