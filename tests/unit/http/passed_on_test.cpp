#include "http/passed_on.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace weir;
using namespace std::chrono_literals;

namespace {

const appservice_id irc{"irc"};
const appservice_id slack{"slack"};
constexpr instant start{1h};

} // namespace

TEST_CASE("passed on: one bridge has so many unanswered and no other notices") {
  passed_on doors{{3, 100}};
  std::vector<passed_on::place> held;
  for (int n = 0; n < 3; ++n) {
    held.push_back(doors.enter(irc));
    REQUIRE(held.back());
  }
  CHECK_FALSE(doors.enter(irc));
  CHECK(doors.enter(slack));
  held.pop_back();
  held.push_back(doors.enter(irc));
  CHECK(held.back());
  CHECK_FALSE(doors.enter(irc));
}

TEST_CASE("passed on: all bridges together have a bound too") {
  passed_on doors{{3, 4}};
  std::vector<passed_on::place> held;
  for (int n = 0; n < 3; ++n)
    held.push_back(doors.enter(irc));
  held.push_back(doors.enter(slack));
  REQUIRE(held.back());
  CHECK_FALSE(doors.enter(slack));
  held.clear();
  CHECK(doors.enter(slack));
}

TEST_CASE("passed on: a place outlives whoever gave it") {
  passed_on::place held;
  {
    passed_on doors{{1, 1}};
    held = doors.enter(irc);
  }
  CHECK(held);
  held.reset();
}

TEST_CASE("passed on: the bounds leave room among the connections") {
  for (const size_t connections : {16, 200, 4096, 100'000}) {
    CAPTURE(connections);
    const auto bounds = passed_on_bounds_for(connections);
    CHECK(bounds.in_all <= connections / 2);
    CHECK(bounds.per_bridge >= 1);
    CHECK(bounds.per_bridge <= passed_on_per_bridge_max);
    CHECK(bounds.per_bridge <= connections / 4);
  }
  CHECK(passed_on_bounds_for(4096).per_bridge == passed_on_per_bridge_max);
  CHECK(passed_on_bounds_for(0).per_bridge == 1);
}

TEST_CASE(
  "passed on: who let a request wait in vain is silent until it answers "
  "or a while is over") {
  passed_on doors{{3, 4}};
  CHECK_FALSE(doors.is_silent(irc, start));
  auto held = doors.enter(irc);
  doors.waited_in_vain(irc, start);
  held.reset();
  CHECK(doors.is_silent(irc, start));
  CHECK(doors.is_silent(irc, start + silence_remembered - 1ms));
  CHECK_FALSE(doors.is_silent(irc, start + silence_remembered));
  CHECK_FALSE(doors.is_silent(slack, start));
  doors.answered(irc);
  doors.answered(slack);
  CHECK_FALSE(doors.is_silent(irc, start));
}
