#include "actors/policy/kept_pause.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

constexpr bool peer = true;
constexpr bool own = false;
constexpr bool lasting = true;
constexpr bool passing = false;

} // namespace

TEST_CASE("kept_pause: what must last is written once") {
  kept_pause kept;
  CHECK(kept.must_write(at(0s), at(60s), own, lasting));
  kept.holds(at(60s), own);
  CHECK_FALSE(kept.must_write(at(0s), at(60s), own, lasting));
  CHECK_FALSE(kept.must_write(at(59s), at(60s), own, passing));
}

TEST_CASE("kept_pause: one that became longer is written again") {
  kept_pause kept;
  kept.holds(at(60s), own);
  CHECK(kept.must_write(at(0s), at(60s) + 1ns, own, lasting));
}

TEST_CASE("kept_pause: our own that became the peer's is written again") {
  kept_pause kept;
  kept.holds(at(60s), own);
  CHECK(kept.must_write(at(0s), at(60s), peer, lasting));
  kept.holds(at(60s), peer);
  CHECK_FALSE(kept.must_write(at(0s), at(60s), peer, lasting));
  CHECK_FALSE(kept.must_write(at(0s), at(60s), own, lasting));
}

TEST_CASE("kept_pause: what need not last is not written") {
  const kept_pause kept;
  CHECK_FALSE(kept.must_write(at(0s), at(4s), own, passing));
  CHECK_FALSE(kept.must_write(at(0s), at(0s), own, passing));
}

TEST_CASE("kept_pause: the end of a stored pause is written") {
  kept_pause kept;
  kept.holds(at(60s), own);
  CHECK(kept.must_write(at(10s), at(10s), own, passing));
  CHECK(kept.must_write(at(10s), at(40s), peer, lasting));
  kept.holds(at(10s), own);
  CHECK_FALSE(kept.must_write(at(10s), at(10s), own, passing));
}

TEST_CASE("kept_pause: one that ends by itself is not ended") {
  kept_pause kept;
  kept.holds(at(60s), own);
  CHECK(kept.must_write(at(60s) - 1ns, at(50s), own, passing));
  CHECK_FALSE(kept.must_write(at(60s), at(50s), own, passing));
}

TEST_CASE("kept_pause: what may not have been written is written again") {
  kept_pause kept;
  kept.may_hold(at(60s));
  CHECK(kept.must_write(at(0s), at(60s), own, lasting));
  kept.holds(at(60s), own);
  CHECK_FALSE(kept.must_write(at(0s), at(60s), own, lasting));
}

TEST_CASE("kept_pause: what may have been written is ended") {
  kept_pause kept;
  kept.may_hold(at(60s));
  CHECK(kept.must_write(at(10s), at(10s), own, passing));
  SUBCASE("again, when it is not known whether that was written") {
    kept.may_hold(at(10s));
    CHECK(kept.must_write(at(10s), at(10s), own, passing));
  }
  SUBCASE("once") {
    kept.holds(at(10s), own);
    CHECK_FALSE(kept.must_write(at(10s), at(10s), own, passing));
  }
}

TEST_CASE("kept_pause: an end that may have been written leaves no promise") {
  kept_pause kept;
  kept.holds(at(60s), own);
  kept.may_hold(at(10s));
  CHECK(kept.must_write(at(20s), at(60s), own, lasting));
}
