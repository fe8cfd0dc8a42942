#include "actors/policy/realm_return.hpp"

#include "schema/limits.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr instant at(std::chrono::milliseconds since) {
  return instant{1h + since};
}

const realm_id team{"team"};
const realm_id other{"other"};

} // namespace

TEST_CASE("realm return: a producer comes back when there is room") {
  realm_return back;
  for (int second = 0; second <= 20; ++second)
    back.left(team, 1'000, at(second * 1s));
  const auto wait = back.of_realm(team, 10'000, at(20s));
  CHECK(wait >= 9s);
  CHECK(wait <= 11s);
  CHECK(wait % 1s == 0ms);
}

TEST_CASE("realm return: of a realm that stands still a minute is said") {
  realm_return back;
  back.left(other, 1'000'000, at(0s));
  CHECK(back.of_realm(team, 1, at(0s)) == 60s);
  CHECK(back.of_all(1, at(0s)) == 1s);
  CHECK(back.of_realm(other, 1, at(10min)) == 60s);
}

TEST_CASE("realm return: never more than is ever waited for") {
  realm_return back;
  back.left(team, 1, at(0s));
  CHECK(back.of_realm(team, UINT64_MAX, at(1s)) == limits::retry_after_max);
}

TEST_CASE("realm return: realms that stand still are forgotten") {
  realm_return back;
  for (size_t i = 0; i < realm_return::realms_max; ++i)
    back.left({"r" + std::to_string(i)}, 1, at(0s));
  CHECK(back.known() == realm_return::realms_max);
  back.left(team, 1'000, at(1s));
  CHECK(back.known() == realm_return::realms_max);
  CHECK(back.of_realm(team, 1, at(1s)) == 60s);
  back.left(team, 1'000, at(10min));
  CHECK(back.known() == 1);
  CHECK(back.of_realm(team, 1, at(10min)) == 1s);
}
