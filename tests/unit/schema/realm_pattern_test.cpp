#include "schema/realm_pattern.hpp"

#include <doctest/doctest.h>

using namespace weir;

TEST_CASE("realm pattern: a star stands for any characters, or none") {
  CHECK(matches_pattern("*", ""));
  CHECK(matches_pattern("*", "https://a/b"));
  CHECK(matches_pattern("https://a/*", "https://a/"));
  CHECK(matches_pattern("https://a/*", "https://a/team/"));
  CHECK(matches_pattern("*/team/", "https://a/team/"));
  CHECK(matches_pattern("a*b*c", "a-b-b-c"));
  CHECK(matches_pattern("a**", "a"));
  CHECK_FALSE(matches_pattern("a*b*c", "a-b-b"));
  CHECK_FALSE(matches_pattern("https://a/*", "https://a"));
}

TEST_CASE("realm pattern: without a star it is the realm itself") {
  CHECK(matches_pattern("team", "team"));
  CHECK_FALSE(matches_pattern("team", "teams"));
  CHECK_FALSE(matches_pattern("team", "tea"));
  CHECK_FALSE(matches_pattern("", "team"));
  CHECK(matches_pattern("", ""));
  CHECK_FALSE(matches_any({}, {"team"}));
  CHECK(matches_any({"x", "te*"}, {"team"}));
}

TEST_CASE("realm pattern: many stars take no long time") {
  std::string pattern;
  for (int i = 0; i < 50; ++i)
    pattern += "a*";
  CHECK_FALSE(matches_pattern(pattern + "b", std::string(2'000, 'a')));
}
