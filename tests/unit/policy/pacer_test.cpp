#include "tests/unit/policy/pacer_fixture.hpp"

#include <algorithm>

using namespace weir;
using namespace weir::policy;
using namespace weir::test;

namespace {

std::vector<int> split(const paced_world& world, size_t from,
                       std::initializer_list<const char*> realms) {
  std::vector<int> counts;
  for (const auto* each : realms) {
    int count = 0;
    for (size_t i = from; i < world.starts.size(); ++i)
      count += world.starts[i].source == each ? 1 : 0;
    counts.push_back(count);
  }
  return counts;
}

} // namespace

TEST_CASE("pacer: q1 and q2 no more than the cap in flight, and the next on an "
          "end") {
  paced_world world{plain_pace(1'000, 8)};
  world.warm_up();
  world.homeserver = [](const auto&) { return answers(100ms); };
  for (int event = 0; event < 30; ++event)
    for (int room = 0; room < 10; ++room)
      world.add("a", "!" + std::to_string(room), 1);
  for (int room = 0; room < 200; ++room)
    world.add("b", "!b" + std::to_string(room), 1);
  world.run(99ms);
  CHECK(world.starts.size() == 8);
  CHECK(world.pacer.limited_by() == pace_limit::cap);
  world.run(100ms);
  CHECK(world.starts.size() == 16);
  world.run(60s);
  CHECK(world.most_in_flight == 8);
  CHECK(world.delivered == 501); // And the one that warmed up.
}

TEST_CASE("pacer: q4 a line of realms starts one hundred in four seconds") {
  paced_world world{plain_pace(20, 8)};
  world.warm_up();
  for (const auto* each : {"a", "b", "c"})
    world.add_rooms(each, 200);
  world.run(0ms);
  CHECK(world.starts.size() == 20);
  world.run(4s);
  CHECK(world.starts.size() == 100);
}

TEST_CASE("pacer: q5 half a send a second starts at 0, 2000 and 4000 ms") {
  paced_world world{plain_pace(0.5, 8)};
  world.warm_up();
  world.add_rooms("a", 10);
  world.run(4s);
  std::vector<milliseconds> at;
  for (const auto& each : world.starts)
    at.push_back(each.at);
  CHECK(at == std::vector<milliseconds>{0ms, 2s, 4s});
}

TEST_CASE("pacer: q6 without a token nothing in the rotation moves") {
  pacer subject{plain_pace(1, 8), paced_world::clock(0ms)};
  const auto at = [](milliseconds t) { return paced_world::clock(t); };
  for (const auto* each : {"a", "b", "c"})
    for (int room = 0; room < 5; ++room)
      CHECK(
        subject.offer({send_class::bulk, each}, {each + std::to_string(room)}));
  std::string order;
  for (auto now = 0ms; now <= 6s; now += 100ms) {
    const auto next = subject.next_start(at(now)); // Nine in ten find no token.
    if (!next.start) {
      CHECK(next.limited_by == pace_limit::rate);
      CHECK(*next.wake_at
            == at(std::chrono::ceil<std::chrono::seconds>(now + 1ms)));
      continue;
    }
    order += next.start->source.id;
    CHECK(subject.begin(next.start->id, {}, at(now)) == begin_result::go);
    subject.settled(next.start->id, {pause_effect::none, {}, false}, at(now),
                    0);
  }
  CHECK(order == "abcabc");
}

TEST_CASE("pacer: q7 three realms below the rate share 27, 27 and 26") {
  for (const auto took : {0ms, 30ms}) {
    CAPTURE(took.count());
    paced_world world{plain_pace(20, 8)};
    world.warm_up();
    world.homeserver = [took](const auto&) { return answers(took); };
    for (const auto* each : {"r0", "r1", "r2"})
      world.add_rooms(each, 200);
    world.run(4s);
    REQUIRE(world.starts.size() == 100);
    auto counts = split(world, 20, {"r0", "r1", "r2"});
    std::sort(counts.begin(), counts.end());
    CHECK(counts == std::vector<int>{26, 27, 27});
  }
}

TEST_CASE("pacer: q10 a wake-up that comes early starts nothing") {
  pacer subject{plain_pace(20, 8), paced_world::clock(0ms)};
  CHECK(subject.offer({send_class::bulk, "a"}, {"!a"}));
  const auto next = subject.next_start(paced_world::clock(0ms));
  REQUIRE(next.wake_at);
  const auto early = subject.next_start(*next.wake_at - 1ms);
  CHECK(!early.start);
  CHECK(early.wake_at == next.wake_at);
  CHECK(subject.next_start(*next.wake_at).start);
}

TEST_CASE("pacer: q18 a realm that is wedged holds up no other") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto& of) {
    return answers(of.source == "wedged" ? 60s : 10ms);
  };
  world.add_rooms("wedged", 100);
  world.add_rooms("b", 200);
  world.run(5s);
  CHECK(world.started("b") == 200);
}

TEST_CASE(
  "pacer: e7 a realm that takes 30 seconds a send gets 4 starts, others "
  "148 each") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver
    = [](const auto& of) { return answers(of.source == "r0" ? 30s : 20ms); };
  for (const auto* each : {"r0", "r1", "r2"})
    world.add_rooms(each, 200);
  world.run(5s - 1ms);
  CHECK(split(world, 0, {"r0", "r1", "r2"}) == std::vector<int>{4, 148, 147});
  world.run(5s);
  CHECK(split(world, 0, {"r0", "r1", "r2"}) == std::vector<int>{4, 148, 148});
}

TEST_CASE("pacer: e7 realms that are all well have 100 starts each") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto&) { return answers(20ms); };
  for (const auto* each : {"r0", "r1", "r2"})
    world.add_rooms(each, 200);
  world.run(5s);
  CHECK(split(world, 0, {"r0", "r1", "r2"}) == std::vector<int>{100, 100, 100});
}

TEST_CASE("pacer: e11 a realm of one room is second behind one of a hundred "
          "thousand") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto&) { return answers(20ms); };
  world.add_rooms("huge", 5'000);
  world.add_rooms("q", 1);
  world.run(100ms);
  CHECK(world.starts[1].source == "q");
}

TEST_CASE("pacer: e12 at 200 ms a send a cap of 8 binds, not the rate") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto&) { return answers(200ms); };
  world.add_rooms("a", 1'000);
  world.run(10s);
  CHECK(world.starts.size() == 408);
  CHECK(world.pacer.limited_by() == pace_limit::cap);
  CHECK(world.pacer.limited_for(pace_limit::cap) >= 9s);
  CHECK(world.pacer.limited_for(pace_limit::rate) <= 100ms);
}

TEST_CASE("pacer: e12 at 100 ms a send the rate binds") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto&) { return answers(100ms); };
  world.add_rooms("a", 1'000);
  world.run(10s);
  CHECK(world.pacer.limited_by() == pace_limit::rate);
  CHECK(world.pacer.limited_for(pace_limit::rate) >= 8s);
}

TEST_CASE(
  "pacer: e16 under a cap that is lowered none starts until enough have "
  "ended") {
  paced_world world{plain_pace(50, 8)};
  world.warm_up();
  world.homeserver = [](const auto&) { return answers(1s); };
  world.add_rooms("a", 100);
  world.run(500ms);
  CHECK(world.pacer.in_flight() == 8);
  world.pacer.use_limits(plain_pace(50, 2), paced_world::clock(world.now));
  world.run(999ms);
  CHECK(world.starts.size() == 8);
  world.run(1s);
  CHECK(world.pacer.in_flight() == 2);
  CHECK(world.starts.size() == 10);
}

TEST_CASE("pacer: q41 what offers nothing takes no token") {
  pacer subject{plain_pace(20, 8), paced_world::clock(0ms)};
  const auto next = subject.next_start(paced_world::clock(10s));
  CHECK(!next.start);
  CHECK(!next.wake_at);
  CHECK(next.limited_by == pace_limit::none);
  for (int i = 0; i < 1'000; ++i) {
    CHECK(subject.offer({send_class::bulk, "unwatched"}, {}));
    subject.withdraw({send_class::bulk, "unwatched"}, {});
  }
  CHECK(!subject.next_start(paced_world::clock(10s)).start);
}

TEST_CASE("pacer: a turn passed because rooms are busy costs nothing") {
  paced_world world{plain_pace(20, 8)};
  world.warm_up();
  world.homeserver = [](const auto&) { return answers(500ms); };
  world.add("a", "!one", 10);
  world.run(400ms);
  CHECK(world.starts.size() == 1);
  CHECK(world.pacer.limited_by()
        == pace_limit::none); // It offers one at a time.
  world.add("b", "!one", 1);
  world.run(450ms);
  CHECK(world.pacer.limited_by() == pace_limit::rooms);
  world.add_rooms("c", 40);
  world.add_rooms("d", 40);
  world.run(450ms);
  CHECK(world.started("c") + world.started("d")
        == 7); // Their tokens were not spent.
}

TEST_CASE("pacer: delayed events start before all others and need no token") {
  pacer subject{plain_pace(1, 16), paced_world::clock(0ms)};
  const auto now = paced_world::clock(1ms);
  CHECK(subject.offer({send_class::bulk, "a"}, {"!a"}));
  CHECK(subject.offer({send_class::timed, "delayed"}, {"!t"}));
  const auto probe = subject.next_start(now);
  REQUIRE(probe.start);
  CHECK(probe.start->source.priority == send_class::timed);
  CHECK(!subject.next_start(now).start); // The probe is out: pauses bind them.
  CHECK(subject.begin(probe.start->id, {}, now) == begin_result::go);
  subject.settled(probe.start->id, {pause_effect::none, {}, false}, now, 0);
  for (int i = 0; i < 20; ++i)
    CHECK(subject.offer({send_class::timed, "t" + std::to_string(i)},
                        {"!t" + std::to_string(i)}));
  int timed = 0;
  while (subject.next_start(now).start)
    ++timed;
  CHECK(timed == 14 / 2 * 2); // One slot in eight stays with realm events.
}

TEST_CASE("pacer: realm events keep an eighth of the refill beside a flood of "
          "delayed events") {
  pacer subject{plain_pace(8, 8), paced_world::clock(0ms)};
  int bulk = 0;
  int room = 0;
  for (auto now = 1ms; now <= 100s; now += 10ms) {
    const auto at = paced_world::clock(now);
    ++room;
    CHECK(
      subject.offer({send_class::timed, "t"}, {"!t" + std::to_string(room)}));
    CHECK(subject.offer({send_class::bulk, "a"}, {"!a"}));
    while (const auto next = subject.next_start(at).start) {
      bulk += next->source.id == "a" ? 1 : 0;
      CHECK(subject.begin(next->id, {}, at) == begin_result::go);
      subject.settled(next->id, {pause_effect::none, {}, false}, at, 0);
      CHECK(subject.offer({send_class::bulk, "a"}, {"!a"}));
    }
  }
  CHECK(bulk >= 98);
  CHECK(bulk <= 102);
}

TEST_CASE(
  "pacer: interactive sends go before realm events but for one start in "
  "eight") {
  pacer subject{plain_pace(100, 1), paced_world::clock(0ms)};
  const auto at = paced_world::clock(1s);
  std::string order;
  for (int i = 0; i < 32; ++i) {
    CHECK(subject.offer({send_class::interactive, "i"}, {"!i"}));
    CHECK(subject.offer({send_class::bulk, "b"}, {"!b"}));
    const auto next = subject.next_start(at).start;
    REQUIRE(next);
    order += next->source.id;
    CHECK(subject.begin(next->id, {}, at) == begin_result::go);
    subject.settled(next->id, {pause_effect::none, {}, false}, at, 0);
  }
  CHECK(order == "iiiiiiibiiiiiiibiiiiiiibiiiiiiib");
}

TEST_CASE("pacer: a permit that is given back leaves all as it was") {
  pacer subject{plain_pace(1, 1), paced_world::clock(0ms)};
  const auto at = paced_world::clock(1s);
  CHECK(subject.offer({send_class::bulk, "a"}, {"!a"}));
  CHECK(subject.offer({send_class::bulk, "b"}, {"!b"}));
  for (int i = 0; i < 3; ++i) {
    const auto next = subject.next_start(at).start;
    REQUIRE(next);
    CHECK(next->source.id == "a");
    subject.give_back(next->id, at);
    CHECK(subject.in_flight() == 0);
  }
}

TEST_CASE("pacer: a realm that has yet to bind takes a turn and then a room") {
  pacer subject{plain_pace(10, 4), paced_world::clock(0ms)};
  const auto at = paced_world::clock(1s);
  CHECK(subject.offer({send_class::bulk, "a"}, {}));
  auto next = subject.next_start(at).start;
  REQUIRE(next);
  CHECK(next->room.value.empty());
  CHECK(subject.begin(next->id, {"!x"}, at) == begin_result::go);
  subject.settled(next->id, {pause_effect::none, {}, false}, at, 0);
  CHECK(subject.offer({send_class::bulk, "b"}, {"!y"}));
  REQUIRE(subject.next_start(at).start);
  CHECK(subject.offer({send_class::bulk, "a"}, {}));
  next = subject.next_start(at).start;
  REQUIRE(next);
  CHECK(subject.begin(next->id, {"!y"}, at) == begin_result::busy);
  CHECK(subject.in_flight() == 1);
}

TEST_CASE("pacer: each limit has its name") {
  CHECK(to_string(pace_limit::none) == "none");
  CHECK(to_string(pace_limit::rooms) == "rooms");
  CHECK(to_string(pace_limit::pause) == "pause");
  CHECK(to_string(pace_limit::cap) == "cap");
  CHECK(to_string(pace_limit::rate) == "rate");
}
