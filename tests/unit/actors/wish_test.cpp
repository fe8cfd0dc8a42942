#include "actors/policy/http_date.hpp"
#include "actors/policy/retry_after.hpp"
#include "tests/support/actors/actor_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::hours;
using std::chrono::seconds;

/// What this machine's clock and the database's say together.
stored_time wall_of(const actor_fixture& on, milliseconds moved) {
  return stored_time{1'717'200'000'000} + on.elapsed() + moved;
}

} // namespace

TEST_CASE("wishes: a moment that a bridge named was once missed by as much as "
          "the clock had been moved") {
  for (const auto moved : {-hours{1}, hours{0}, hours{1}}) {
    CAPTURE(moved.count());
    actor_fixture on;
    milliseconds by{0};
    // As the network does it.
    on.network.script = [&](const http_request&) {
      auto reply = status(
        on.network.all().empty() ? 503 : 200,
        {{"Retry-After", policy::to_http_date(wall_of(on, by) + seconds{60})}});
      policy::give_date(reply.answer, wall_of(on, by));
      return reply;
    };
    on.start();
    on.database.set_clock([&] { return wall_of(on, by); });
    on.advance(seconds{30});
    by = moved;
    on.advance(seconds{30});
    on.offer("irc", "a");
    on.advance(seconds{120});
    const auto times = on.network.times_to("http://irc");
    REQUIRE(times.size() == 2);
    CHECK(times[1] - times[0] == 60'000);
    CHECK(on.row("irc").owed_events == 0);
  }
}
