#include "tests/support/actors/actor_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::seconds;

std::vector<std::string> ids_of(const queues_page& page) {
  std::vector<std::string> ids;
  for (const auto& view : page.queues)
    ids.push_back(view.row.id.value);
  return ids;
}

} // namespace

TEST_CASE("store reader: a page is a moment of the store") {
  actor_fixture fixture{{bridge("a"), bridge("b")}};
  fixture.network.script = [](const http_request&) { return status(503); };
  fixture.start();
  (void)fixture.offer("b", "1", 3);
  fixture.advance(seconds{1});
  const auto asked_for = fixture.queues();
  fixture.run();
  REQUIRE(asked_for->answer);
  REQUIRE(*asked_for->answer);
  const auto& page = asked_for->answer->value();
  CHECK(ids_of(page) == std::vector<std::string>{"a", "b"});
  CHECK(page.queues[1].row.owed_events == 3);
  CHECK(page.as_of - page.queues[1].oldest_accepted_at == seconds{1});
  REQUIRE(page.queues[1].status);
  CHECK(page.queues[1].status->state == "resting");
}

TEST_CASE("store reader: one that failed is of use again") {
  actor_fixture fixture;
  fixture.config.readers = 1;
  fixture.start();
  fixture.database.set_away(true);
  const auto away = fixture.queues();
  fixture.run();
  REQUIRE(away->answer);
  REQUIRE_FALSE(*away->answer);
  CHECK(away->answer->error().code == ec::unavailable);
  fixture.database.set_away(false);
  const auto again = fixture.queues();
  fixture.run();
  REQUIRE(again->answer);
  CHECK(again->answer->has_value());
  CHECK(fixture.running_actors() > 0);
}
