#include "tests/unit/policy/pacer_fixture.hpp"

#include <algorithm>
#include <random>

using namespace weir;
using namespace weir::policy;
using namespace weir::test;

namespace {

/// A homeserver that does anything for five minutes and is well then.
class moody_homeserver {
public:
  explicit moody_homeserver(uint64_t seed) : random_{seed} {
  }

  reply operator()(const paced_world::start& of) {
    CHECK(of.at >= asked_until_[of.room]);
    if (of.at >= 300s)
      return answers(20ms);
    const auto after
      = milliseconds{random_() % 5 == 0 ? random_() % 30'000 : random_() % 200};
    std::optional<milliseconds> asked;
    if (random_() % 4 == 0)
      asked = milliseconds{random_() % 20'000};
    auto result = reply{after, {effect(of), asked, true}};
    if (result.outcome.effect == pause_effect::none)
      result.outcome = {pause_effect::none, {}, false};
    const bool is_heard = result.outcome.effect == pause_effect::limited
      || result.outcome.effect == pause_effect::overloaded
      || result.outcome.effect == pause_effect::room;
    if (asked && is_heard)
      asked_until_[of.room]
        = std::max(asked_until_[of.room], of.at + after + *asked);
    return result;
  }

private:
  pause_effect effect(const paced_world::start& of) {
    if (of.room.ends_with("0") && random_() % 3 != 0)
      return pause_effect::overloaded; // A sick room of each realm.
    switch (random_() % 20) {
    case 0:
    case 1: return pause_effect::overloaded;
    case 2: return pause_effect::limited;
    case 3: return pause_effect::room;
    case 4: return pause_effect::unknown;
    case 5:
      return random_() % 4 == 0 ? pause_effect::account_held
                                : pause_effect::none;
    default: return pause_effect::none;
    }
  }

  std::mt19937_64 random_;
  std::map<std::string, milliseconds> asked_until_;
};

} // namespace

TEST_CASE("pacer: whatever a homeserver does nothing is lost, nothing starts "
          "before its time, and no realm starves") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    auto limits = plain_pace(static_cast<double>(2 + random() % 60),
                             static_cast<uint32_t>(1 + random() % 12));
    limits.pause.jitter = 0.2;
    limits.room_pause.jitter = 0.2;
    limits.adaptive = random() % 2 == 0;
    paced_world world{limits};
    world.random_01 = static_cast<double>(random() % 100) / 100;
    world.homeserver = moody_homeserver{seed};
    const auto realms = 1 + random() % 5;
    int sends = 0;
    for (size_t realm = 0; realm < realms; ++realm) {
      const auto rooms = 1 + static_cast<int>(random() % 12);
      const auto each = 1 + static_cast<int>(random() % 20);
      world.add_rooms("r" + std::to_string(realm), rooms, each);
      sends += rooms * each;
    }
    world.run(300s);
    CHECK(world.owed() + world.delivered == sends);
    CHECK(world.most_in_flight <= limits.in_flight);
    for (size_t i = 0; i + 1 < world.starts.size(); ++i) {
      size_t last = i;
      while (last < world.starts.size()
             && world.starts[last].at < world.starts[i].at + 1s)
        ++last;
      CHECK(static_cast<double>(last - i) <= 2 * limits.sends_per_second + 1);
    }
    world.run(2'000s);
    CHECK(world.owed() == 0);
    CHECK(world.delivered == sends);
    CHECK(world.pacer.in_flight() == 0);
    CHECK(world.pacer.slow_rooms(100).empty());
    CHECK(world.pacer.limited_by() == pace_limit::none);
  }
}
