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
