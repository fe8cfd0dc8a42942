#include "tests/unit/policy/pacer_fixture.hpp"

using namespace weir;
using namespace weir::policy;
using namespace weir::test;

namespace {

constexpr auto at = paced_world::clock;

struct outcome {
  double refused_share; ///< From 5 s after the fall on.
  int started_after;    ///< In the second that begins 10 s after the return.
};

/// A homeserver whose capacity falls by 80 % for forty seconds.
outcome run_fall(bool adaptive, milliseconds took) {
  auto limits = plain_pace(50, 8);
  limits.adaptive = adaptive;
  paced_world world{limits};
  world.warm_up();
  token_bucket takes{100, at(world.base)};
  bool has_fallen = false;
  int sent = 0;
  int refused = 0;
  world.homeserver = [&](const paced_world::start& of) {
    const auto now = at(world.base + of.at);
    const bool is_low = of.at >= 10s && of.at < 50s;
    if (is_low != has_fallen)
      takes.use_rate(is_low ? 10 : 100, now);
    has_fallen = is_low;
    const bool is_taken = takes.take(now);
    if (of.at >= 15s && of.at < 50s) {
      ++sent;
      refused += is_taken ? 0 : 1;
    }
    return is_taken ? answers(took) : refuses(took);
  };
  for (int realm = 0; realm < 10; ++realm)
    world.add_rooms("r" + std::to_string(realm), 10, 1'000);
  world.run(70s);
  int after = 0;
  for (const auto& each : world.starts)
    after += each.at >= 60s && each.at < 61s ? 1 : 0;
  return {static_cast<double>(refused) / sent, after};
}

} // namespace

TEST_CASE("adaptive limit: a homeserver that lost 80 % of its capacity refuses "
          "less than 2 % after five seconds") {
  for (const auto took : {5ms, 20ms, 100ms}) {
    CAPTURE(took.count());
    const auto with = run_fall(true, took);
    const auto without = run_fall(false, took);
    // With slow answers some are in flight already when the first is refused.
    CHECK(with.refused_share < (took < 100ms ? 0.02 : 0.04));
    CHECK(with.refused_share < without.refused_share / 2);
    CHECK(with.started_after >= 49);
    CHECK(with.started_after <= 51);
  }
}

TEST_CASE("adaptive limit: it is off unless it is wanted") {
  CHECK(!pace_limits{}.adaptive);
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver
    = [](const auto& of) { return of.at < 100ms ? refuses() : answers(); };
  world.add_rooms("a", 20);
  world.run(10s);
  CHECK(world.pacer.share() == 1);
}

TEST_CASE("adaptive limit: other settings change nothing of what was found") {
  auto limits = plain_pace(50, 8);
  limits.adaptive = true;
  paced_world world{limits};
  world.warm_up();
  world.homeserver
    = [](const auto& of) { return of.at < 100ms ? refuses() : answers(); };
  world.add_rooms("a", 1'000);
  world.run(3s);
  CHECK(world.pacer.share() == 0.8);
  world.pacer.use_limits(limits, world.clock(world.now));
  CHECK(world.pacer.share() == 0.8);
  world.run(5s);
  const auto before = world.starts.size();
  world.run(7s);
  CHECK(world.starts.size() - before == 80);
  limits.adaptive = false;
  world.pacer.use_limits(limits, world.clock(world.now));
  CHECK(world.pacer.share() == 1);
}

TEST_CASE("adaptive limit: one episode is one cut") {
  adaptive_limit limit{at(0ms)};
  CHECK(limit.share(at(1s)) == 1);
  limit.on_refused(at(1s), at(2s));
  limit.on_refused(at(1s), at(2s));
  limit.on_refused(at(2s), at(3s));
  CHECK(limit.share(at(3s)) == doctest::Approx(0.8));
  limit.on_refused(at(4s), at(4s)); // Soon again.
  CHECK(limit.share(at(4s)) == doctest::Approx(0.4));
}

TEST_CASE("adaptive limit: it rises by the same each second, after a while") {
  adaptive_limit limit{at(0ms)};
  limit.on_refused(at(1s), at(2s));
  limit.on_refused(at(3s), at(4s));
  CHECK(limit.share(at(11'500ms)) == doctest::Approx(0.4));
  CHECK(limit.share(at(12s)) == doctest::Approx(0.6));
  CHECK(limit.share(at(12'500ms)) == doctest::Approx(0.8));
  CHECK(limit.share(at(1h)) == 1);
}

TEST_CASE("adaptive limit: it never falls to nothing") {
  adaptive_limit limit{at(0ms)};
  for (int i = 0; i < 100; ++i)
    limit.on_refused(at(i * 1s) + 1ms, at(i * 1s) + 2ms);
  CHECK(limit.share(at(99s) + 2ms) == adaptive_limit::share_min);
}

TEST_CASE("adaptive limit: while most answers are slow it falls, and it does "
          "not rise") {
  adaptive_limit limit{at(0ms)};
  auto now = at(0ms);
  for (int i = 0; i < 100; ++i, now += 10ms)
    limit.on_answered(now - 10ms, now);
  CHECK(limit.share(now) == 1);
  for (int i = 0; i < 50; ++i, now += 100ms)
    limit.on_answered(now - 1s, now);
  const auto braked = limit.share(now);
  CHECK(braked < 0.8);
  CHECK(braked > 0.5); // One step a second.
  CHECK(limit.share(now + 5s) == braked);
  for (int i = 0; i < 50; ++i, now += 10ms)
    limit.on_answered(now - 10ms, now);
  CHECK(limit.share(now + 10s) == 1);
}

TEST_CASE("adaptive limit: slowness alone brakes to a quarter at most") {
  adaptive_limit limit{at(0ms)};
  auto now = at(0ms);
  limit.on_answered(now, now);
  for (int i = 0; i < 500; ++i, now += 100ms)
    limit.on_answered(now - 1s, now);
  CHECK(limit.share(now) == 0.25);
  limit.on_refused(now, now);
  const auto cut = limit.share(now);
  CHECK(cut < 0.25);
  for (int i = 0; i < 50; ++i, now += 100ms)
    limit.on_answered(now - 1s, now);
  CHECK(limit.share(now) == cut); // It never raises either.
}

TEST_CASE("adaptive limit: a few rooms that hang are no brake") {
  adaptive_limit limit{at(0ms)};
  auto now = at(0ms);
  for (int i = 0; i < 1'000; ++i, now += 10ms)
    limit.on_answered(now - (i % 4 == 0 ? 30s : 10ms), now);
  CHECK(limit.share(now) == 1);
}

TEST_CASE("adaptive limit: a homeserver that is slower for good is the new "
          "measure after two minutes") {
  adaptive_limit limit{at(0ms)};
  auto now = at(0ms);
  for (int i = 0; i < 100; ++i, now += 10ms)
    limit.on_answered(now - 10ms, now);
  for (int i = 0; i < 1'500; ++i, now += 100ms)
    limit.on_answered(now - 1s, now);
  CHECK(limit.share(now + 5s) == 1);
}

TEST_CASE("adaptive limit: what is switched off is whole again") {
  auto limits = plain_pace(50, 8);
  limits.adaptive = true;
  paced_world world{limits};
  world.warm_up();
  world.homeserver
    = [](const auto& of) { return of.at < 100ms ? refuses() : answers(); };
  world.add_rooms("a", 200);
  world.run(3s);
  CHECK(world.pacer.share() < 1);
  limits.adaptive = false;
  world.pacer.use_limits(limits, at(world.now));
  CHECK(world.pacer.share() == 1);
}
