#include "actors/policy/retry_budget.hpp"
#include "actors/policy/room_pauses.hpp"
#include "actors/policy/send_pause.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

constexpr backoff::limits plain{.first = 1s, .ceiling = 30s, .jitter = 0};

/// One whose first probe was answered.
send_pause well() {
  send_pause pause{plain};
  const bool probe = pause.start();
  pause.on_answered(at(0ms), at(0ms), {}, 0, probe);
  return pause;
}

} // namespace

TEST_CASE("send pause: d6 a new one lets one probe go") {
  send_pause pause{plain};
  CHECK(pause.may_start(at(0ms)));
  CHECK(pause.is_half_open());
  CHECK(pause.start());
  CHECK(!pause.may_start(at(1h)));
  CHECK(!pause.start()); // Whoever is let through all the same is no probe.
  pause.on_answered(at(0ms), at(1s), {}, 0, true);
  CHECK(pause.may_start(at(1s)));
  CHECK(!pause.is_half_open());
  CHECK(!pause.start());
}

TEST_CASE("send pause: q26 what was sent before the pause neither doubles nor "
          "ends it") {
  auto pause = well();
  pause.on_refused(at(1s), at(2s), {}, 0, false);
  CHECK(pause.ready_at() == at(3s));
  pause.on_refused(at(1s), at(2'100ms), {}, 0, false);
  pause.on_refused(at(2s), at(2'200ms), {}, 0, false);
  CHECK(pause.ready_at() == at(3s));
  pause.on_answered(at(1s), at(2'300ms), {}, 0, false);
  pause.on_answered(at(2s), at(2'300ms), {}, 0, false);
  CHECK(pause.is_half_open());
  CHECK(pause.ready_at() == at(3s));
  const bool probe = pause.start();
  pause.on_refused(at(3s), at(4s), {}, 0, probe);
  CHECK(pause.ready_at() == at(6s)); // It doubles.
  pause.on_answered(at(1s), at(5s), {}, 0, false);
  pause.on_refused(at(7s), at(7s), {}, 0, pause.start());
  CHECK(pause.ready_at() == at(11s)); // And was not cleared.
}

TEST_CASE("send pause: an old refusal after the episode begins none") {
  auto pause = well();
  pause.on_refused(at(1s), at(2s), {}, 0, false);
  pause.on_answered(at(3s), at(3s), {}, 0, pause.start());
  pause.on_refused(at(1s), at(31s), {}, 0, false);
  CHECK(pause.may_start(at(31s)));
  CHECK(!pause.is_half_open());
  pause.on_refused(at(1s), at(32s), 5s, 0, false); // But for what it asks.
  CHECK(!pause.may_start(at(37s) - 1ms));
  CHECK(pause.may_start(at(37s)));
  CHECK(pause.is_half_open());
}

TEST_CASE("send pause: a verdict that asks for time gets it") {
  auto pause = well();
  pause.on_answered(at(1s), at(1s), 5s, 0, false);
  CHECK(pause.ready_at() == at(6s));
  CHECK(pause.peer_asked(at(5s)));
  CHECK(pause.is_half_open());
}

TEST_CASE("send pause: what ended without a word leaves the probe to another") {
  send_pause pause{plain};
  CHECK(pause.start());
  pause.on_nothing(false);
  CHECK(!pause.may_start(at(1s)));
  pause.on_nothing(true);
  CHECK(pause.may_start(at(1s)));
  CHECK(pause.is_half_open());
}

TEST_CASE("send pause: held is for five minutes and over with an answer") {
  auto pause = well();
  pause.on_held(at(1s), at(1s), {}, 0, false);
  CHECK(pause.is_held());
  CHECK(pause.ready_at() == at(1s) + send_pause::hold);
  pause.on_held(at(1s), at(9s), {}, 1, false); // Sent before: nothing new.
  CHECK(pause.ready_at() == at(1s) + send_pause::hold);
  const auto later = at(1s) + send_pause::hold;
  CHECK(pause.start());
  pause.on_held(later, later, 600s, 1, true);
  CHECK(pause.ready_at() >= later + 600s);
  pause.resume(later + 1s, true);
  CHECK(pause.is_held()); // Until it is seen to be well.
  CHECK(pause.start());
  pause.on_answered(later + 1s, later + 1s, {}, 0, true);
  CHECK(!pause.is_held());
}

TEST_CASE("send pause: held a little longer each for each account") {
  auto pause = well();
  pause.on_held(at(1s), at(1s), {}, 1, false);
  CHECK(pause.ready_at() == at(1s) + send_pause::hold * 6 / 5);
}

TEST_CASE("send pause: resumed by an operator it is a probe that goes") {
  auto pause = well();
  pause.on_refused(at(1s), at(2s), {}, 0, false);
  pause.resume(at(2'100ms), false);
  CHECK(pause.may_start(at(2'100ms)));
  CHECK(pause.start());
  CHECK(!pause.may_start(at(2'100ms)));
  pause.on_refused(at(2'100ms), at(2'200ms), {}, 0, true);
  CHECK(pause.ready_at() == at(4'200ms)); // The step stayed.
}

TEST_CASE("send pause: a stored one binds, and a probe goes after it") {
  send_pause pause{plain};
  pause.restore(at(0s), 20s, true);
  CHECK(!pause.may_start(at(20s) - 1ms));
  CHECK(pause.may_start(at(20s)));
  CHECK(pause.peer_asked(at(19s)));
  CHECK(pause.start());
}

TEST_CASE("room pauses: e8 a room that fails while all fail is not alone") {
  room_pauses rooms{plain};
  const room_id bad{"!bad"};
  CHECK(rooms.is_well(bad));
  CHECK(!rooms.on_overloaded(bad, at(0s), at(0s), {}, 0));
  CHECK(!rooms.on_overloaded(bad, at(1s), at(1s), {}, 0));
  CHECK(!rooms.on_overloaded({"!other"}, at(1s), at(1s), {}, 0));
  CHECK(!rooms.on_overloaded(bad, at(2s), at(2s), {}, 0));
  CHECK(!rooms.is_well(bad));
  CHECK(rooms.slow(10).empty());
  rooms.on_answered({"!other"});
  CHECK(rooms.is_well({"!other"}));
  CHECK(rooms.on_overloaded(bad, at(3s), at(3s), {}, 0));
  CHECK(rooms.ready_at(bad) == at(4s));
  CHECK(rooms.slow(10) == std::vector<room_id>{bad});
  CHECK(rooms.slow(0).empty());
  CHECK(rooms.on_overloaded(bad, at(4s), at(4s), 9s, 0)); // Stays alone.
  CHECK(rooms.ready_at(bad) == at(13s));
  CHECK(rooms.asked_until() == at(13s));
}

TEST_CASE("room pauses: e8 its own answer makes a room well, and is none of "
          "the others'") {
  room_pauses rooms{plain};
  const room_id bad{"!bad"};
  CHECK(!rooms.on_overloaded(bad, at(0s), at(0s), {}, 0));
  rooms.on_answered(bad);
  CHECK(!rooms.on_overloaded(bad, at(1s), at(1s), {}, 0));
  CHECK(!rooms.on_overloaded(bad, at(2s), at(2s), {}, 0));
}

TEST_CASE("room pauses: e4 three others, and three different ones") {
  room_pauses rooms{plain};
  const room_id bad{"!bad"};
  const auto limit
    = [&] { return rooms.on_limited(bad, at(0s), at(0s), 2s, 0); };
  CHECK(!limit());
  for (int i = 0; i < 9; ++i) // Two rooms, however often.
    rooms.on_answered({i % 2 == 0 ? "!a" : "!b"});
  CHECK(!limit());
  for (const auto* each : {"!a", "!b", "!c"})
    rooms.on_answered({each});
  CHECK(limit());
  CHECK(rooms.ready_at(bad) == at(2s));
  CHECK(!limit()); // None was answered since.
}

TEST_CASE("room pauses: a room is told once when its wait is over") {
  room_pauses rooms{plain};
  rooms.on_retry({"!a"}, at(0s), at(0s), {}, 0);
  rooms.on_retry({"!b"}, at(0s), at(1s), {}, 0);
  rooms.wait_until({"!a"}, at(3s));
  rooms.wait_until({"!a"}, at(2s)); // Only ever later.
  CHECK(rooms.next_ready() == at(2s));
  CHECK(rooms.take_ready(at(2s) - 1ms).empty());
  CHECK(rooms.take_ready(at(2s)) == std::vector<room_id>{{"!b"}});
  CHECK(rooms.next_ready() == at(3s));
  rooms.on_answered({"!a"});
  CHECK(!rooms.next_ready());
  CHECK(rooms.take_ready(at(1h)).empty());
}

TEST_CASE("room pauses: beyond the bound a failure concerns all") {
  room_pauses rooms{plain};
  for (size_t i = 0; i < room_pauses::rooms_max; ++i)
    rooms.on_retry({"!" + std::to_string(i)}, at(0s), at(0s), {}, 0);
  rooms.on_answered({"!other"});
  const room_id more{"!more"};
  rooms.on_retry(more, at(0s), at(0s), {}, 0);
  rooms.wait_until(more, at(1h));
  CHECK(rooms.is_well(more));
  CHECK(!rooms.on_limited(more, at(0s), at(0s), {}, 0));
  CHECK(!rooms.on_overloaded(more, at(0s), at(0s), {}, 0));
  rooms.on_answered({"!0"});
  rooms.on_retry(more, at(0s), at(0s), {}, 0);
  CHECK(!rooms.is_well(more));
}

TEST_CASE("retry budget: one for five answers, and a tenth of the rate") {
  retry_budget budget{50, 2, at(0s)};
  CHECK(budget.reserve(at(0s)) == at(0s));
  CHECK(budget.reserve(at(0s)) == at(0s));
  CHECK(budget.reserve(at(0s)) == at(200ms));
  CHECK(budget.reserve(at(0s)) == at(400ms));
  CHECK(budget.reserve(at(400ms)) == at(600ms));
  for (int i = 0; i < 10; ++i) // Two more, of which one is reserved.
    budget.on_answered();
  CHECK(budget.reserve(at(600ms)) == at(600ms));
  CHECK(budget.reserve(at(600ms)) == at(600ms));
  CHECK(budget.reserve(at(600ms)) == at(800ms));
  CHECK(budget.reserve(at(1h)) == at(1h));
  CHECK(budget.reserve(at(1h)) == at(1h));
  CHECK(budget.reserve(at(1h)) > at(1h)); // No more gather than at once.
}

TEST_CASE("retry budget: a slow rate or a wrong window stops no retry") {
  retry_budget budget{0.001, 0, at(0s)};
  CHECK(budget.reserve(at(0s)) == at(0s));
  CHECK(budget.reserve(at(0s)) == at(10s));
  budget.use(100, 8, at(20s));
  CHECK(budget.reserve(at(20s)) == at(20s));
  CHECK(budget.reserve(at(20s)) == at(20s) + 100ms);
}
