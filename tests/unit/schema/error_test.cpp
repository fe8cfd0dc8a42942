#include "schema/error.hpp"

#include <doctest/doctest.h>

using namespace weir;

namespace {

expected<int> half_of(int number) {
  if (number % 2 != 0)
    return fail(ec::invalid_argument, "odd");
  return number / 2;
}

expected<int> quarter_of(int number) {
  WEIR_TRY(auto half, half_of(number));
  return half_of(half);
}

} // namespace

TEST_CASE("error: WEIR_TRY passes the first failure on with its context") {
  CHECK(quarter_of(8).value() == 2);
  const auto failed = quarter_of(6);
  REQUIRE(!failed);
  CHECK(failed.error() == error{ec::invalid_argument, "odd"});
  CHECK(to_string(failed.error()) == "invalid_argument: odd");
}
