#include "actors/policy/hold.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

} // namespace

TEST_CASE("hold: what time may mend is tried again in a quarter of a second") {
  for (const auto why : {ec::unavailable, ec::expired, ec::superseded,
                         ec::in_doubt, ec::busy, ec::full})
    CHECK(hold_pause(why, at(0s), at(45s)) == 250ms);
}

TEST_CASE("hold: what time will not mend is told at once") {
  for (const auto why :
       {ec::none, ec::invalid_argument, ec::not_found, ec::rejected,
        ec::corrupt, ec::forbidden, ec::not_json, ec::bad_json})
    CHECK(!hold_pause(why, at(0s), at(45s)));
}

TEST_CASE("hold: the homeserver is told before its own time is over") {
  CHECK(hold_pause(ec::full, at(45s - 251ms), at(45s)) == 250ms);
  CHECK(!hold_pause(ec::full, at(45s - 250ms), at(45s)));
  CHECK(!hold_pause(ec::full, at(45s), at(45s)));
  CHECK(!hold_pause(ec::full, at(50s), at(45s)));
}
