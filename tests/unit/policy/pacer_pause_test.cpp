#include "tests/unit/policy/pacer_fixture.hpp"

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

std::vector<milliseconds> all_starts(const paced_world& world) {
  std::vector<milliseconds> found;
  for (const auto& each : world.starts)
    found.push_back(each.at);
  return found;
}

} // namespace

TEST_CASE("pacer: q25 a pause doubles from one second to thirty while the "
          "homeserver refuses") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto&) { return refuses(); };
  world.add_rooms("a", 1);
  world.run(200s);
  CHECK(
    gaps(world.starts_of("!a0"))
    == std::vector<milliseconds>{1s, 2s, 4s, 8s, 16s, 30s, 30s, 30s, 30s, 30s});
}

TEST_CASE("pacer: q26 eight refusals at once are one pause") {
  auto limits = plain_pace(50, 8);
  limits.pause.first = 10ms;
  limits.pause.ceiling = 1s;
  paced_world world{limits};
  world.warm_up();
  world.homeserver
    = [](const auto& of) { return of.at == 0ms ? refuses(1ms) : answers(); };
  world.add_rooms("a", 8);
  world.run(10s);
  const auto times = all_starts(world);
  REQUIRE(times.size() == 16);
  CHECK(times[7] == 0ms);
  CHECK(times[8] == 11ms); // The probe, answered at once, and then the rest.
  CHECK(times[15] == 11ms);
}

TEST_CASE("pacer: q26 a success from before the pause does not end it") {
  paced_world world{plain_pace(50, 2)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    if (of.room == "!good")
      return answers(200ms);
    return of.at < 2s ? refuses(100ms) : answers();
  };
  world.add("a", "!good", 1);
  world.add("b", "!bad", 1);
  world.run(10s);
  // Refused at 100 ms; the success at 200 ms starts nothing before 1100 ms.
  CHECK(world.starts_of("!bad").at(1) == 1'100ms);
}

TEST_CASE("pacer: q26 a refusal from before the pause begins no other") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  // One is refused at once, the others time out long after all is well again.
  world.homeserver = [](const auto& of) {
    if (of.at == 0ms)
      return of.room == "!a0" ? refuses(10ms) : refuses(30s);
    return answers(10ms);
  };
  world.add_rooms("a", 4);
  world.add_rooms("b", 5'000);
  world.run(40s);
  const auto rests = gaps(all_starts(world));
  CHECK(std::count_if(rests.begin(), rests.end(),
                      [](auto gap) { return gap > 100ms; })
        == 1);
  CHECK(world.starts.back().at >= 39'900ms);
}

TEST_CASE("pacer: q27 one room that always refuses sees growing gaps and the "
          "others none") {
  for (const auto bad_takes : {1ms, 20ms}) { // Before and after the good ones.
    CAPTURE(bad_takes.count());
    paced_world world{plain_pace(50, 2)};
    world.warm_up();
    world.homeserver = [bad_takes](const auto& of) {
      return of.room == "!bad" ? refuses(bad_takes) : answers(10ms);
    };
    world.add("a", "!bad", 1);
    world.add("b", "!good", 100'000);
    world.run(120s);
    auto found = gaps(world.starts_of("!bad"));
    REQUIRE(found.size() >= 5);
    for (size_t i = 2; i < found.size(); ++i)
      CHECK(found[i] >= 2 * found[i - 1] - 50ms);
    const auto good = world.starts_of("!good");
    for (const auto gap : gaps({good.begin() + 200, good.end()}))
      CHECK(gap <= 100ms);
    CHECK(world.pacer.slow_rooms(10) == std::vector<room_id>{room_id{"!bad"}});
  }
}

TEST_CASE("pacer: q28 nothing starts before what the homeserver asked for") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    return of.at == 0ms ? rate_limits(1ms, 5s) : answers();
  };
  world.add_rooms("a", 20);
  world.run(5s);
  CHECK(world.starts.size() == 8);
  world.run(5'001ms);
  CHECK(world.starts.size() == 28);
}

TEST_CASE("pacer: q28 jitter is above the floor, never below") {
  for (const double random : {0.0, 0.3, 1.0}) {
    auto with_jitter = plain_pace(50, 8);
    with_jitter.pause.jitter = 0.2;
    paced_world world{with_jitter};
    world.random_01 = random;
    world.warm_up();
    world.homeserver = [](const auto& of) {
      return of.at == 0ms ? rate_limits(0ms, 5s) : answers();
    };
    world.add_rooms("a", 1);
    world.run(20s);
    REQUIRE(world.starts.size() == 2);
    CHECK(world.starts[1].at >= 5s);
    CHECK(world.starts[1].at <= 6s);
  }
}

TEST_CASE(
  "pacer: q28 an answer from before the pause still asks for its time") {
  paced_world world{plain_pace(50, 2)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    if (of.at > 0ms)
      return answers();
    return of.room == "!a0" ? rate_limits(10ms) : rate_limits(20ms, 60s);
  };
  world.add_rooms("a", 3);
  world.run(60s);
  CHECK(world.starts.size() == 2);
  world.run(61s);
  CHECK(world.starts.size() == 5);
}

TEST_CASE("pacer: q32 five attempts of 30 seconds each are over after 165 "
          "seconds") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto&) { return refuses(30s); };
  world.add_rooms("a", 1);
  world.run(165s);
  const auto times = world.starts_of("!a0");
  CHECK(times == std::vector<milliseconds>{0s, 31s, 63s, 97s, 135s});
  CHECK(times.back() + 30s == 165s);
}

TEST_CASE("pacer: d6 after a pause one probe goes, and all others when it is "
          "answered") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver
    = [](const auto& of) { return of.at < 1s ? refuses() : answers(700ms); };
  world.add_rooms("a", 20);
  world.run(1'699ms);
  const auto before = world.starts.size();
  CHECK(world.starts.back().at == 1s);
  CHECK(world.pacer.in_flight() == 1);
  CHECK(world.pacer.limited_by() == pace_limit::pause);
  world.run(1'700ms);
  CHECK(world.starts.size() == before + 8);
}

TEST_CASE("pacer: d6 the probe goes to a room that last answered") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    return of.room == "!sick" ? refuses(10ms) : answers(10ms);
  };
  world.add("a", "!sick", 1);
  world.run(500ms);
  CHECK(world.starts.size() == 1);
  world.add("b", "!well", 3); // Behind it in every order.
  world.run(1'010ms);
  REQUIRE(world.starts.size() >= 2);
  CHECK(world.starts[1].room == "!well");
}

TEST_CASE("pacer: d6 any verdict ends the episode, even a refusal of the "
          "event") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    if (of.at < 3s)
      return refuses();
    return reply{100ms, {pause_effect::room, {}, false}}; // 500, given up.
  };
  world.add_rooms("a", 4);
  world.run(2'999ms);
  const auto before = world.starts.size();
  world.run(3s);
  CHECK(world.starts.size() == before + 1);
  world.run(3'100ms);
  CHECK(world.starts.size() == before + 4);
}

TEST_CASE("pacer: d6 a new pacer is half-open and has no token") {
  paced_world world{plain_pace(20, 8)};
  world.homeserver = [](const auto&) { return answers(200ms); };
  world.add_rooms("a", 50);
  world.run(249ms);
  CHECK(all_starts(world) == std::vector<milliseconds>{50ms});
  CHECK(world.pacer.limited_by() == pace_limit::pause);
  world.run(250ms);
  CHECK(world.starts.size() == 5);
}

TEST_CASE("pacer: d6 a probe that tells nothing is followed by another") {
  pacer subject{plain_pace(1'000, 8), at(0ms)};
  CHECK(subject.offer({send_class::bulk, "a"}, {"!a"}));
  CHECK(subject.offer({send_class::bulk, "b"}, {"!b"}));
  const auto first = subject.next_start(at(1s)).start;
  REQUIRE(first);
  CHECK(!subject.next_start(at(1s)).start);
  CHECK(subject.begin(first->id, {}, at(1s)) == begin_result::go);
  subject.settled(first->id, {pause_effect::unknown, {}, true}, at(2s), 0);
  const auto second = subject.next_start(at(2s)).start;
  REQUIRE(second);
  subject.give_back(second->id, at(2s));
  CHECK(subject.next_start(at(2s)).start);
}

TEST_CASE("pacer: g7 a permit that waited is of no use when a pause came "
          "meanwhile") {
  pacer subject{plain_pace(1'000, 8), at(0ms)};
  for (const auto* each : {"!a", "!b", "!c"})
    CHECK(subject.offer({send_class::bulk, each}, {each}));
  const auto probe = subject.next_start(at(1s)).start;
  REQUIRE(probe);
  CHECK(subject.begin(probe->id, {}, at(1s)) == begin_result::go);
  subject.settled(probe->id, {pause_effect::none, {}, false}, at(1s), 0);
  const auto sent = subject.next_start(at(2s)).start;
  const auto binds = subject.next_start(at(2s)).start;
  REQUIRE(sent);
  REQUIRE(binds);
  CHECK(subject.begin(sent->id, {}, at(2s)) == begin_result::go);
  subject.settled(sent->id, {pause_effect::limited, 10s, true}, at(3s), 0);
  CHECK(subject.begin(binds->id, {}, at(4s)) == begin_result::paused);
  CHECK(subject.in_flight() == 0);
  const auto next = subject.next_start(at(4s));
  CHECK(!next.start);
  CHECK(next.wake_at == at(13s));
  CHECK(subject.next_start(at(13s)).start->source.id
        == "!c"); // Its offer stands.
}

TEST_CASE("pacer: g7 a probe that waited is of no use when an old answer asks "
          "for time") {
  pacer subject{plain_pace(1'000, 8), at(0ms)};
  for (const auto* each : {"!a", "!b", "!c", "!d"})
    CHECK(subject.offer({send_class::bulk, each}, {each}));
  const auto start = [&](milliseconds when) {
    const auto next = subject.next_start(at(when)).start;
    REQUIRE(next);
    CHECK(subject.begin(next->id, {}, at(when)) == begin_result::go);
    return next->id;
  };
  subject.settled(start(1s), {pause_effect::none, {}, false}, at(1s), 0);
  const auto first = start(2s);
  const auto second = start(2s);
  subject.settled(first, {pause_effect::limited, {}, false}, at(2s) + 1ms, 0);
  const auto probe = subject.next_start(at(4s)).start;
  REQUIRE(probe);
  subject.settled(second, {pause_effect::limited, 10s, false}, at(5s), 0);
  CHECK(subject.begin(probe->id, {}, at(6s)) == begin_result::paused);
  CHECK(subject.next_start(at(6s)).wake_at == at(15s));
  CHECK(subject.next_start(at(15s)).start);
}

TEST_CASE("pacer: g7 a permit from before a pause is no second probe after "
          "it") {
  for (const auto effect : {pause_effect::limited, pause_effect::overloaded}) {
    pacer subject{plain_pace(1'000, 8), at(0ms)};
    for (const auto* each : {"!a", "!b", "!c"})
      CHECK(subject.offer({send_class::bulk, each}, {each}));
    const auto probe = subject.next_start(at(1s)).start;
    REQUIRE(probe);
    CHECK(subject.begin(probe->id, {}, at(1s)) == begin_result::go);
    subject.settled(probe->id, {pause_effect::none, {}, false}, at(1s), 0);
    const auto sent = subject.next_start(at(2s)).start;
    const auto binds = subject.next_start(at(2s)).start;
    REQUIRE(sent);
    REQUIRE(binds);
    CHECK(subject.begin(sent->id, {}, at(2s)) == begin_result::go);
    subject.settled(sent->id, {effect, {}, false}, at(3s), 0);
    CHECK(subject.paused_until() == at(4s));
    CHECK(subject.begin(binds->id, {}, at(6s)) == begin_result::paused);
    CHECK(subject.next_start(at(6s)).start);
    CHECK(!subject.next_start(at(6s)).start);
  }
}

TEST_CASE("pacer: d7 in an outage of 300 seconds nothing is lost") {
  for (const bool hangs : {false, true}) {
    CAPTURE(hangs);
    paced_world world{plain_pace(50, 8)};
    world.warm_up();
    world.homeserver = [hangs](const auto& of) {
      if (of.at >= 300s)
        return answers(20ms);
      return hangs ? refuses(30s) : refuses();
    };
    for (int realm = 0; realm < 20; ++realm)
      world.add_rooms("r" + std::to_string(realm), 10, 3);
    world.run(300s);
    CHECK(world.delivered == 1); // What warmed up.
    CHECK(world.owed() == 600);
    CHECK(world.starts.size() <= 24); // Eight, and one probe a pause.
    world.run(400s);
    CHECK(world.owed() == 0);
    CHECK(world.delivered == 601);
  }
}
