#include "http/query.hpp"

#include <doctest/doctest.h>

using namespace weir;

TEST_CASE("query: parameters come in order with their values decoded") {
  const auto found = read_query("a=1%2C2&b&=x&c=d=e&");
  REQUIRE(found.size() == 4);
  CHECK(found[0].name == "a");
  CHECK(found[0].value == "1,2");
  CHECK(found[1].name == "b");
  CHECK(found[1].value.empty());
  CHECK(found[2].name.empty());
  CHECK(found[2].value == "x");
  CHECK(found[3].name == "c");
  CHECK(found[3].value == "d=e");
  CHECK(read_query("").empty());
}

TEST_CASE("query: a whole number is digits alone") {
  CHECK(whole_number("after", "0").value() == 0);
  CHECK(whole_number("after", "9223372036854775807").value() == INT64_MAX);
  for (const auto* wrong :
       {"", "-0", "-1", "+1", " 1", "1 ", "1e3", "0x1", "9223372036854775808"})
    CHECK_MESSAGE(
      whole_number("after", wrong).error().code == ec::invalid_argument, wrong);
}

TEST_CASE("query: a name that no store keeps is refused") {
  CHECK(asker_name("Zoë on call").value() == "Zoë on call");
  for (const auto* wrong : {"\xff", "a\nb", "\xed\xa0\x80", "\x7f"})
    CHECK(asker_name(wrong).error().code == ec::invalid_argument);
  CHECK(asker_name(std::string(65, 'x')).error().code == ec::invalid_argument);
}
