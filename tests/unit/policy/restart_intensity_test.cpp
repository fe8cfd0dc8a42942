#include "actors/policy/restart_intensity.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

} // namespace

TEST_CASE("restart_intensity: the bound is refused, not the ones before") {
  restart_intensity intensity{{.restarts = 3, .within = 10s}};
  CHECK(intensity.allow(at(0s)));
  CHECK(intensity.allow(at(0s)));
  CHECK(intensity.allow(at(1s)));
  CHECK(!intensity.allow(at(1s)));
}

TEST_CASE("restart_intensity: a restart stops counting when its time is up") {
  restart_intensity intensity{{.restarts = 2, .within = 10s}};
  CHECK(intensity.allow(at(0s)));
  CHECK(intensity.allow(at(5s)));
  CHECK(!intensity.allow(at(9'999ms)));
  CHECK(intensity.allow(at(10s)));
  CHECK(!intensity.allow(at(14'999ms)));
  CHECK(intensity.allow(at(15s)));
}

TEST_CASE("restart_intensity: a refused restart does not count") {
  restart_intensity intensity{{.restarts = 1, .within = 10s}};
  CHECK(intensity.allow(at(0s)));
  CHECK(!intensity.allow(at(9s)));
  CHECK(intensity.allow(at(10s)));
}

TEST_CASE("restart_intensity: a bound of zero permits none") {
  restart_intensity intensity{{.restarts = 0, .within = 10s}};
  CHECK(!intensity.allow(at(0s)));
}

TEST_CASE("restart_intensity: no window ever holds more than the bound") {
  std::mt19937_64 random{60};
  restart_intensity intensity{{.restarts = 5, .within = 1s}};
  std::vector<instant> permitted;
  instant now = at(0s);
  for (int i = 0; i < 20'000; ++i) {
    now += milliseconds{random() % 150};
    const auto in_window
      = std::count_if(permitted.begin(), permitted.end(),
                      [now](instant each) { return now - each < 1s; });
    const bool allowed = intensity.allow(now);
    REQUIRE(allowed == (in_window < 5));
    if (allowed)
      permitted.push_back(now);
    if (permitted.size() > 10)
      permitted.erase(permitted.begin());
  }
}
