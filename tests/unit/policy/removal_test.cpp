#include "actors/policy/removal.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr stored_time gone_at{1'000'000};

removal_step step(bool configured, stored_time removed_at,
                  milliseconds later = 0ms) {
  return next_removal_step(configured, removed_at, gone_at + later, 60s);
}

} // namespace

TEST_CASE("removal: what is configured is left alone") {
  CHECK(step(true, {}) == removal_step::none);
  CHECK(step(true, {}, 24h) == removal_step::none);
}

TEST_CASE("removal: what is gone is noted once, and what is back likewise") {
  CHECK(step(false, {}) == removal_step::note_gone);
  CHECK(step(false, gone_at) == removal_step::none);
  CHECK(step(true, gone_at) == removal_step::note_back);
  CHECK(step(true, gone_at, 24h) == removal_step::note_back);
}

TEST_CASE("removal: rows go when their time is over and not before") {
  CHECK(step(false, gone_at, 59'999ms) == removal_step::none);
  CHECK(step(false, gone_at, 60s) == removal_step::remove);
  CHECK(!is_removal_due({}, gone_at, 60s));
  CHECK(!is_removal_due(gone_at, gone_at + 59'999ms, 60s));
  CHECK(is_removal_due(gone_at, gone_at + 60s, 60s));
}
