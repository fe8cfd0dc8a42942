#include "tests/unit/policy/pacer_fixture.hpp"

#include "schema/limits.hpp"

#include <algorithm>

using namespace weir;
using namespace weir::policy;
using namespace weir::test;

namespace {

constexpr auto at = paced_world::clock;

std::vector<milliseconds> gaps(const std::vector<milliseconds>& times) {
  std::vector<milliseconds> found;
  for (size_t i = 1; i < times.size(); ++i)
    found.push_back(times[i] - times[i - 1]);
  return found;
}

} // namespace

TEST_CASE("pacer: e4 a 429 pauses the account") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    return of.at == 0ms && of.room == "!a0" ? rate_limits(0ms, 2s)
                                            : answers(1ms);
  };
  world.add("a", "!a0", 1);
  world.add("b", "!b0", 50);
  world.run(1'999ms);
  CHECK(world.starts_of("!b0").empty());
  CHECK(world.pacer.paused_until() == at(world.base + 2s));
}

TEST_CASE("pacer: e4 the second 429 of one room while three others were "
          "answered pauses that room") {
  for (const int others : {2, 3}) {
    CAPTURE(others);
    paced_world world{plain_pace(50, 8)};
    world.warm_up();
    world.homeserver = [](const auto& of) {
      return of.room == "!bad" ? rate_limits(100ms, 2s) : answers(10ms);
    };
    world.add("a", "!bad", 1);
    world.run(100ms);
    for (int i = 0; i < others; ++i)
      world.add("b", "!b" + std::to_string(i), 100);
    world.run(2'990ms);
    const auto at_two = world.starts_of("!bad");
    REQUIRE(at_two.size() == 2); // At 0, and after the pause.
    const auto paused = world.pacer.paused_until() > at(world.now);
    CHECK(paused == (others < 3));
    world.run(at_two[1] + 1'999ms);
    CHECK(world.starts_of("!bad").size() == 2); // Its own Retry-After binds.
  }
}

TEST_CASE("pacer: e8 a room that fails again while others go through waits "
          "alone") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    return of.room == "!sick" ? refuses(30s) : answers(10ms);
  };
  world.add("a", "!sick", 5);
  world.add("b", "!well", 100'000);
  world.run(600s);
  // The first time-out pauses all, the second is known to be of the room.
  const auto well = gaps(world.starts_of("!well"));
  CHECK(std::count_if(well.begin(), well.end(),
                      [](auto gap) { return gap >= 500ms; })
        == 1);
  const auto sick = gaps(world.starts_of("!sick"));
  REQUIRE(sick.size() >= 6);
  for (size_t i = 1; i <= 4; ++i) { // Its time-out, and a pause that doubles.
    const auto least = 30s + 1s * (1 << (i - 1));
    CHECK(sick[i] >= least);
    CHECK(sick[i] <= least + 50ms);
  }
}

TEST_CASE("pacer: e8 one answer makes a sick room well") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  int refusals = 5;
  world.homeserver = [&refusals](const auto& of) {
    if (of.room != "!sick" || refusals-- <= 0)
      return answers(10ms);
    return refuses(10ms);
  };
  world.add("a", "!sick", 50);
  world.add("b", "!well", 100'000);
  world.run(60s);
  CHECK(world.pacer.slow_rooms(10).empty());
  CHECK(world.starts_of("!sick").size() == 55);
}

TEST_CASE("pacer: a 500 makes its room wait and nobody else") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    if (of.room == "!bad")
      return reply{0ms, {pause_effect::room, {}, true}};
    return answers(10ms);
  };
  world.add("a", "!bad", 1);
  world.add("b", "!well", 10'000);
  world.run(20s);
  CHECK(world.starts_of("!bad")
        == std::vector<milliseconds>{0s, 1s, 3s, 7s, 15s});
  for (const auto gap : gaps(world.starts_of("!well")))
    CHECK(gap <= 100ms);
}

TEST_CASE("pacer: a held account waits, is probed, and comes back by itself") {
  for (const auto effect :
       {pause_effect::account_held, pause_effect::homeserver_held}) {
    paced_world world{plain_pace(50, 8)};
    world.warm_up();
    world.homeserver = [effect](const auto& of) {
      if (of.at < 600s)
        return reply{0ms, {effect, {}, true}};
      return answers();
    };
    world.add_rooms("a", 20);
    world.run(299s);
    CHECK(world.starts.size() == 1);
    CHECK(world.pacer.account_held() == (effect == pause_effect::account_held));
    CHECK(world.pacer.homeserver_held()
          == (effect == pause_effect::homeserver_held));
    world.run(700s);
    CHECK(world.owed() == 0);
    CHECK(world.starts.size() == 22); // At 0, 300 and 600 s a probe.
    CHECK(!world.pacer.account_held());
    CHECK(!world.pacer.homeserver_held());
  }
}

TEST_CASE("pacer: an operator ends our own pause, and the homeserver's only by "
          "force") {
  paced_world world{plain_pace(50, 1)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    return of.at < 4s
      ? refuses(0ms, of.at == 0s ? std::optional{2s} : std::nullopt)
      : answers();
  };
  world.add_rooms("a", 1);
  world.run(1s);
  world.pacer.resume(at(world.now), false);
  world.run(1'999ms);
  CHECK(world.starts.size() == 1);
  world.run(2s); // Asked for two seconds; the next pause is ours.
  CHECK(world.starts.size() == 2);
  world.run(2'500ms);
  world.pacer.resume(at(world.now), false);
  world.run(2'500ms);
  CHECK(world.starts.size() == 3);
  paced_world forced{plain_pace(50, 1)};
  forced.warm_up();
  forced.homeserver = [](const auto& of) {
    return of.at == 0s ? rate_limits(0ms, 600s) : answers();
  };
  forced.add_rooms("a", 1);
  forced.run(1s);
  forced.pacer.resume(at(forced.now), true);
  forced.run(1s);
  CHECK(forced.owed() == 0);
}

TEST_CASE("pacer: what the homeserver asked for is kept at once, our own over "
          "five seconds") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  CHECK(!world.pacer.to_keep(at(world.now)));
  world.homeserver = [](const auto& of) {
    return of.at == 0ms ? rate_limits(0ms, 1s) : refuses();
  };
  world.add_rooms("a", 1);
  world.run(0ms);
  auto keep = world.pacer.to_keep(at(world.now));
  REQUIRE(keep);
  CHECK(keep->by_peer);
  CHECK(keep->rest == 1s);
  world.pacer.kept(*keep, true);
  CHECK(!world.pacer.to_keep(at(world.now)));
  world.run(2s); // Then pauses of 1, 2 and 4 s of our own …
  CHECK(!world.pacer.to_keep(at(world.now)));
  world.run(7s);
  CHECK(world.pacer.paused_until() > at(world.now));
  CHECK(!world.pacer.to_keep(at(world.now)));
  world.run(9s); // … and of 8 s.
  keep = world.pacer.to_keep(at(world.now));
  REQUIRE(keep);
  CHECK(!keep->by_peer);
  CHECK(keep->rest >= 5s);
  world.pacer.kept(*keep, false);
  CHECK(world.pacer.to_keep(at(world.now))); // Nobody knows: once more.
}

TEST_CASE("pacer: what a single room was asked to wait is kept, too") {
  pacer subject{plain_pace(1'000, 8), at(0ms)};
  const auto send
    = [&](const std::string& room, send_outcome outcome, milliseconds when) {
        CHECK(subject.offer({send_class::bulk, room}, {room}));
        const auto next = subject.next_start(at(when)).start;
        REQUIRE(next);
        CHECK(subject.begin(next->id, {}, at(when)) == begin_result::go);
        subject.settled(next->id, outcome, at(when), 0);
      };
  const send_outcome well{pause_effect::none, {}, false};
  send("!bad", {pause_effect::limited, 1s, false}, 1s);
  for (const auto* each : {"!a", "!b", "!c"})
    send(each, well, 2s);
  send("!bad", {pause_effect::limited, 60s, false}, 3s);
  CHECK(subject.paused_until() <= at(3s));
  const auto keep = subject.to_keep(at(3s));
  REQUIRE(keep);
  CHECK(keep->by_peer);
  CHECK(keep->until == at(63s));
}

TEST_CASE("pacer: g7 a stored pause binds after a restart, and then one probe "
          "goes") {
  paced_world world{plain_pace(50, 8)};
  world.homeserver = [](const auto&) { return answers(100ms); };
  world.pacer.restore(at(0ms), 30s, true);
  world.add_rooms("a", 20);
  world.run(29'999ms);
  CHECK(world.starts.empty());
  world.run(30'099ms);
  CHECK(world.starts.size() == 1);
  world.run(30'100ms);
  CHECK(world.starts.size() == 9);
}

TEST_CASE("pacer: e3 the longest request is fifteen minutes, and then a probe "
          "goes") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    return of.at == 0ms
      ? rate_limits(0ms, milliseconds{limits::retry_after_max})
      : answers(100ms);
  };
  world.add_rooms("a", 20);
  world.run(15min - 1ms);
  CHECK(world.starts.size() == 1);
  world.run(15min);
  CHECK(world.starts.size() == 2);
}

TEST_CASE("pacer: retries alone make no more than a tenth of the rate and a "
          "window") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  // Each room is answered with a 500 for ever, which pauses nobody else.
  auto no_wait = plain_pace(50, 8);
  no_wait.room_pause.first = 1ms;
  no_wait.room_pause.ceiling = 1ms;
  world.pacer.use_limits(no_wait, at(world.now));
  world.homeserver = [](const auto&) {
    return reply{1ms, {pause_effect::room, {}, true}};
  };
  world.add_rooms("a", 40);
  world.run(20s);
  CHECK(world.starts.size() <= 40 + 8 + 100 + 1);
  CHECK(world.starts.size() >= 40 + 8 + 90);
}

TEST_CASE("pacer: a room that waits wakes nobody who has nothing for it") {
  const auto now = paced_world::clock(5s);
  pacer pacer{plain_pace(50, 8), paced_world::clock(0s)};
  REQUIRE(pacer.offer({send_class::bulk, "a"}, {"!slow"}));
  const auto sent = pacer.next_start(now).start;
  REQUIRE(sent);
  REQUIRE(pacer.begin(sent->id, sent->room, now) == begin_result::go);
  pacer.settled(sent->id, {pause_effect::room, 10s, false}, now, 0);
  CHECK(pacer.ready_at({"!slow"}) > now);
  CHECK(!pacer.next_start(now).wake_at);
}
