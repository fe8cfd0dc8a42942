#include "tests/unit/policy/pacer_fixture.hpp"

using namespace weir;
using namespace weir::policy;
using namespace weir::test;

namespace {

const instant now = paced_world::clock(5s);

pacer rested_pacer(uint32_t in_flight) {
  return pacer{plain_pace(1'000, in_flight), paced_world::clock(0s)};
}

} // namespace

TEST_CASE("pacer: a start that is given back leaves its place to another") {
  for (const auto first :
       {send_class::timed, send_class::interactive, send_class::bulk}) {
    auto subject = rested_pacer(2);
    for (int i = 0; i < 5; ++i) {
      REQUIRE(subject.offer({first, "a"}, {"!a"}));
      const auto sent = subject.next_start(now).start;
      REQUIRE(sent);
      subject.give_back(sent->id, now);
      subject.withdraw({first, "a"}, {"!a"});
    }
    REQUIRE(subject.offer({send_class::timed, "b"}, {"!b"}));
    CHECK(subject.next_start(now).start);
  }
}

TEST_CASE("pacer: who speaks to a person starts though nobody else waits") {
  auto subject = rested_pacer(8);
  REQUIRE(subject.offer({send_class::interactive, "a"}, {"!a"}));
  CHECK(subject.next_start(now).start);
}

TEST_CASE("pacer: one start in eight stays with realm events, and no more") {
  auto subject = rested_pacer(64);
  REQUIRE(subject.offer({send_class::interactive, "first"}, {"!first"}));
  const auto probe = subject.next_start(now).start;
  REQUIRE(probe);
  REQUIRE(subject.begin(probe->id, probe->room, now) == begin_result::go);
  subject.settled(probe->id, {pause_effect::none, {}, false}, now, 0);
  for (int i = 0; i < 20; ++i) {
    const auto room = std::to_string(i);
    REQUIRE(subject.offer({send_class::interactive, "a"}, {"!a" + room}));
    REQUIRE(subject.offer({send_class::bulk, "b"}, {"!b" + room}));
  }
  std::string order;
  for (int i = 0; i < 16; ++i) {
    const auto sent = subject.next_start(now).start;
    REQUIRE(sent);
    order += sent->source.id;
  }
  CHECK(order == "aaaaaaabaaaaaaab");
}

TEST_CASE("pacer: a pause that was restored is not stored once more") {
  auto subject = rested_pacer(8);
  subject.restore(now, 10s, true);
  CHECK(subject.paused_until() == now + 10s);
  CHECK(!subject.to_keep(now));
  subject.resume(now, true);
  const auto over = subject.to_keep(now);
  REQUIRE(over);
  CHECK(over->rest == 0ms);
}
