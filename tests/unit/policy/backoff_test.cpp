#include "actors/policy/backoff.hpp"
#include "schema/limits.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

constexpr backoff::limits plain{.first = 1s, .ceiling = 8s, .jitter = 0};

/// Refuses one send after another, each started when the pause was over, and
/// returns how long the last pause was.
milliseconds pause_after(backoff& pause, int refusals) {
  instant now = std::max(at(0ms), pause.ready_at());
  for (int i = 0; i < refusals; ++i) {
    const auto started = std::max(now, pause.ready_at()) + 1ms;
    now = started + 1ms;
    pause.on_refused(started, now, {}, 0);
  }
  return std::chrono::ceil<milliseconds>(pause.ready_at() - now);
}

} // namespace

TEST_CASE("backoff: nothing is paused at first") {
  const backoff pause{plain};
  CHECK(pause.ready_at() <= at(0ms));
  CHECK(!pause.peer_asked(at(0ms)));
}

TEST_CASE("backoff: each refusal of a later send doubles, up to the ceiling") {
  const milliseconds expected[] = {1s, 2s, 4s, 8s, 8s, 8s};
  backoff pause{plain};
  for (const auto each : expected)
    CHECK(pause_after(pause, 1) == each);
}

TEST_CASE("backoff: a ceiling that is no double of the first is kept to") {
  backoff pause{{.first = 1s, .ceiling = 3s, .jitter = 0}};
  CHECK(pause_after(pause, 1) == 1s);
  CHECK(pause_after(pause, 1) == 2s);
  CHECK(pause_after(pause, 1) == 3s);
  CHECK(pause_after(pause, 1) == 3s);
}

TEST_CASE("backoff: a send at the moment at which a pause ends is later") {
  const auto ended = [] {
    backoff pause{plain};
    pause.on_refused(at(0s), at(1s), {}, 0);
    pause.end_own_pause(at(1s));
    return pause;
  };
  auto refused = ended();
  refused.on_refused(at(1s), at(2s), {}, 0);
  CHECK(refused.ready_at() == at(2s + 2s)); // It doubles.
  auto accepted = ended();
  accepted.on_accepted(at(1s));
  accepted.on_refused(at(3s), at(4s), {}, 0);
  CHECK(accepted.ready_at() == at(4s + 1s)); // It began anew.
}

TEST_CASE("backoff: a restored step holds no jitter of the one before") {
  backoff pause{{.first = 1s, .ceiling = 300s, .jitter = 0.25}};
  pause.restore(at(0s), 10s, false);
  CHECK(pause.ready_at() == at(10s)); // It is waited for all the same.
  pause.on_refused(at(10s), at(11s), {}, 0);
  CHECK(pause.ready_at() == at(11s + 16s));
}

TEST_CASE("backoff: sends in flight when overload began cost one step") {
  backoff pause{plain};
  pause.on_refused(at(0s), at(100ms), {}, 0);
  pause.on_refused(at(0s), at(120ms), {}, 0);
  pause.on_refused(at(99ms), at(130ms), {}, 0);
  CHECK(pause.ready_at() == at(1'130ms));
}

TEST_CASE("backoff: a send started in the instant of the pause is no new one") {
  backoff pause{plain};
  pause.on_refused(at(0s), at(100ms), {}, 0);
  pause.on_refused(at(100ms), at(200ms), {}, 0);
  CHECK(pause.ready_at() == at(1'200ms));
  pause.on_refused(at(201ms), at(300ms), {}, 0);
  CHECK(pause.ready_at() == at(2'300ms));
}

TEST_CASE("backoff: a success ends the episode") {
  backoff pause{plain};
  CHECK(pause_after(pause, 4) == 8s);
  pause.on_accepted(pause.ready_at() + 1ms);
  CHECK(pause_after(pause, 1) == 1s);
}

TEST_CASE("backoff: a success from before the pause does not end it") {
  backoff pause{plain};
  pause.on_refused(at(0s), at(100ms), {}, 0);
  pause.on_accepted(at(50ms));
  pause.on_accepted(at(100ms));
  CHECK(pause.ready_at() == at(1'100ms));
  pause.on_refused(at(1'200ms), at(1'300ms), {}, 0);
  CHECK(pause.ready_at() == at(3'300ms));
}

TEST_CASE("backoff: a success after a ping takes the rest of our pause away") {
  backoff pause{plain};
  pause_after(pause, 4);
  const auto ready = pause.ready_at();
  // A send let through by other means than this class.
  pause.on_accepted(ready - 1s);
  CHECK(pause.ready_at() == ready - 1s);
}

TEST_CASE("backoff: the longer of our step and the peer's wish counts") {
  backoff longer{plain};
  longer.on_refused(at(0s), at(0s), 5s, 0);
  CHECK(longer.ready_at() == at(5s));
  CHECK(longer.peer_asked(at(4'999ms)));
  CHECK(!longer.peer_asked(at(5s)));
  backoff shorter{plain};
  shorter.on_refused(at(0s), at(0s), 200ms, 0);
  CHECK(shorter.ready_at() == at(1s));
  CHECK(shorter.peer_asked(at(199ms)));
  CHECK(!shorter.peer_asked(at(200ms)));
}

TEST_CASE("backoff: a peer may ask for more than our ceiling") {
  backoff pause{plain};
  pause.on_refused(at(0s), at(0s), 900s, 0);
  CHECK(pause.ready_at() == at(900s));
}

TEST_CASE("backoff: a peer that asks for zero gets our own step") {
  backoff pause{plain};
  pause.on_refused(at(0s), at(0s), 0ms, 1);
  CHECK(pause.ready_at() == at(1s));
  CHECK(!pause.peer_asked(at(0s)));
}

TEST_CASE("backoff: a peer that asks for a millisecond gets it") {
  backoff pause{plain};
  pause.on_verdict(at(0s), 1ms, 0);
  CHECK(pause.ready_at() == at(1ms));
}

TEST_CASE("backoff: a later and shorter wish does not shorten an earlier one") {
  backoff pause{plain};
  pause.on_refused(at(0s), at(0s), 60s, 0);
  pause.on_refused(at(0s), at(1s), 5s, 0);
  pause.on_refused(at(0s), at(2s), {}, 0);
  CHECK(pause.ready_at() == at(60s));
  CHECK(pause.peer_asked(at(59s)));
}

TEST_CASE("backoff: jitter lengthens a step by at most its share") {
  const auto after = [](double random_01) {
    backoff pause{{.first = 1s, .ceiling = 8s, .jitter = 0.2}};
    pause.on_refused(at(0s), at(0s), {}, random_01);
    return pause.ready_at();
  };
  CHECK(after(0) == at(1s));
  CHECK(after(0.5) == at(1'100ms));
  CHECK(after(1) == at(1'200ms));
  CHECK(after(0.0001) == at(1'001ms));
  CHECK(after(-1) == at(1s));
  CHECK(after(7) == at(1'200ms));
}

TEST_CASE("backoff: jitter comes on top of the ceiling") {
  backoff pause{{.first = 8s, .ceiling = 8s, .jitter = 0.5}};
  pause.on_refused(at(0s), at(0s), {}, 1);
  pause.on_refused(at(20s), at(20s), {}, 1);
  CHECK(pause.ready_at() == at(32s));
}

TEST_CASE("backoff: a little jitter comes on top of what a peer asked for") {
  const auto after = [](milliseconds asked, double random_01) {
    backoff pause{{.first = 1s, .ceiling = 8s, .jitter = 0.2}};
    pause.on_refused(at(0s), at(0s), asked, random_01);
    return pause.ready_at();
  };
  CHECK(after(10s, 0) == at(10s));
  CHECK(after(10s, 0.5) == at(11s));
  CHECK(after(10s, 1) == at(12s));
  CHECK(after(900s, 1) == at(905s));
}

TEST_CASE("backoff: a ping ends our own pause and keeps the step") {
  backoff pause{plain};
  CHECK(pause_after(pause, 3) == 4s);
  const auto pinged = pause.ready_at() - 3s;
  pause.end_own_pause(pinged);
  CHECK(pause.ready_at() == pinged);
  pause.on_refused(pinged + 1ms, pinged + 1ms, {}, 0);
  CHECK(pause.ready_at() == pinged + 1ms + 8s);
}

TEST_CASE("backoff: a ping after a pause does not move the past") {
  backoff pause{plain};
  pause.on_refused(at(0s), at(0s), {}, 0);
  pause.end_own_pause(at(30s));
  CHECK(pause.ready_at() == at(1s));
}

TEST_CASE("backoff: a ping never ends what the peer asked for") {
  backoff pause{{.first = 1s, .ceiling = 8s, .jitter = 0.2}};
  pause.on_refused(at(0s), at(0s), 10s, 1);
  CHECK(pause.ready_at() == at(12s));
  pause.end_own_pause(at(2s));
  CHECK(pause.ready_at() == at(10s));
}

TEST_CASE("backoff: an operator who insists ends the peer's pause too") {
  backoff pause{plain};
  pause.on_refused(at(0s), at(0s), 60s, 0);
  pause.end_every_pause(at(2s));
  CHECK(pause.ready_at() == at(2s));
  CHECK(!pause.peer_asked(at(2s)));
}

TEST_CASE("backoff: a stored pause goes on, and its step doubles from there") {
  backoff pause{plain};
  pause.restore(at(0s), 3s, false);
  CHECK(pause.ready_at() == at(3s));
  CHECK(!pause.peer_asked(at(0s)));
  pause.on_refused(at(3s), at(4s), {}, 0);
  CHECK(pause.ready_at() == at(10s));
}

TEST_CASE("backoff: a restored own pause is ended by a ping") {
  backoff pause{plain};
  pause.restore(at(0s), 3s, false);
  pause.end_own_pause(at(1s));
  CHECK(pause.ready_at() == at(1s));
}

TEST_CASE("backoff: a restored peer's pause is not ended by a ping") {
  backoff pause{plain};
  pause.restore(at(0s), 600s, true);
  pause.end_own_pause(at(1s));
  CHECK(pause.ready_at() == at(600s));
  CHECK(pause.peer_asked(at(599s)));
  pause.on_refused(at(601s), at(601s), {}, 0);
  CHECK(pause.ready_at() == at(603s));
}

TEST_CASE("backoff: a stored pause that is over starts no episode") {
  for (const milliseconds remaining : {0ms, -5'000ms}) {
    backoff pause{plain};
    pause.restore(at(0s), remaining, true);
    pause.restore(at(0s), remaining, false);
    CHECK(pause.ready_at() <= at(0s));
    pause.on_refused(at(1s), at(1s), {}, 0);
    CHECK(pause.ready_at() == at(2s));
  }
}

TEST_CASE("backoff: a stored pause of a millisecond is taken up") {
  for (const bool by_peer : {false, true}) {
    backoff pause{plain};
    pause.restore(at(0s), 1ms, by_peer);
    CHECK(pause.ready_at() == at(1ms));
    CHECK(pause.peer_asked(at(0s)) == by_peer);
  }
}

TEST_CASE("backoff: a clock put back cannot silence a bridge for days") {
  for (const bool by_peer : {false, true}) {
    backoff pause{plain};
    pause.restore(at(0s), 72h, by_peer);
    CHECK(pause.ready_at() == at(limits::retry_after_max));
    pause.on_refused(pause.ready_at() + 1ms, pause.ready_at() + 1ms, {}, 0);
    CHECK(pause.ready_at() <= at(limits::retry_after_max + 1ms + 8s));
  }
}

TEST_CASE("backoff: no run of events breaks a pause that the peer asked for") {
  std::mt19937_64 random{20};
  std::uniform_real_distribution<double> evenly{0, 1};
  for (int round = 0; round < 500; ++round) {
    backoff pause{{.first = 1s, .ceiling = 8s, .jitter = 0.2}};
    instant now = at(0ms);
    instant allowed = now; // What the peer said, kept apart.
    for (int step = 0; step < 60; ++step) {
      now += milliseconds{random() % 3'000};
      const auto started = now - milliseconds{random() % 2'000};
      const milliseconds asked{random() % 20'000};
      switch (random() % 4) {
      case 0:
        pause.on_refused(started, now, asked, evenly(random));
        allowed = std::max(allowed, now + asked);
        break;
      case 1: pause.on_refused(started, now, {}, evenly(random)); break;
      case 2: pause.on_accepted(started); break;
      default: pause.end_own_pause(now); break;
      }
      if (allowed > now) {
        REQUIRE(pause.ready_at() >= allowed);
        REQUIRE(pause.peer_asked(now));
      }
      // And no pause of ours is longer than the ceiling and its jitter.
      REQUIRE(pause.ready_at() <= std::max(now + 9'600ms, allowed + 5s));
    }
  }
}

TEST_CASE("backoff: a verdict on the content is no step and no pause of ours") {
  backoff pause{plain};
  pause.on_verdict(at(0s), {}, 0);
  CHECK(pause.ready_at() <= at(0s));
  CHECK(pause_after(pause, 1) == 1s);
  pause.on_verdict(pause.ready_at(), {}, 0);
  CHECK(pause_after(pause, 1) == 2s);
}

TEST_CASE("backoff: with a verdict too a peer may ask for a pause") {
  backoff pause{{.first = 1s, .ceiling = 8s, .jitter = 0.1}};
  pause.on_verdict(at(0s), 60s, 0.5);
  CHECK(pause.peer_asked(at(60s - 1ms)));
  CHECK(!pause.peer_asked(at(60s)));
  CHECK(pause.ready_at() == at(63s)); // Spread as after a refusal.
  pause.on_verdict(at(1s), 0ms, 0);
  pause.on_verdict(at(1s), 10s, 0);
  CHECK(pause.ready_at() == at(63s));
}
