#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::hours;
using std::chrono::minutes;

/// A house that has nothing to do but to be cleaned, so that days pass fast.
struct quiet_house : actor_fixture {
  using actor_fixture::actor_fixture;

  void begin() {
    settings.beat_every = hours{24};
    settings.owed_scan_every = hours{24};
    settings.forget_every = hours{1};
    start();
  }
  memory_tables tables() const {
    return *database.copy();
  }
};

} // namespace

TEST_CASE("janitor: what is remembered goes when its time is over") {
  quiet_house on{{bridge("a"), bridge("b")}};
  on.begin();
  (void)on.offer("a", "1");
  (void)on.offer("b", "1");
  on.advance(hours{23});
  CHECK(on.tables().inbound.size() == 2);
  CHECK(on.tables().seen.size() == 2);
  on.advance(hours{2});
  CHECK(on.tables().inbound.empty());
  CHECK(on.tables().seen.empty());
  CHECK(on.tables().outcomes.size() == 2);
  on.advance(hours{6 * 24});
  CHECK(on.tables().outcomes.empty());
}

TEST_CASE("janitor: one cleaning goes on as long as there is something") {
  quiet_house on;
  on.begin();
  for (int i = 0; i < 6; ++i)
    (void)on.offer("irc", std::to_string(i), 500);
  on.advance(hours{23});
  CHECK(on.tables().seen.size() == 3'000);
  on.advance(hours{2} + minutes{1});
  CHECK(on.tables().seen.empty());
}

TEST_CASE("janitor: a cleaning that failed is made up for by the next") {
  quiet_house on;
  on.begin();
  (void)on.offer("irc", "1");
  on.advance(hours{23});
  on.database.set_away(true);
  on.advance(hours{3});
  on.database.set_away(false);
  CHECK(on.tables().inbound.size() == 1);
  on.advance(hours{1});
  CHECK(on.tables().inbound.empty());
}
