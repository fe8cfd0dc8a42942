#include "actors/policy/kept_room.hpp"

#include <doctest/doctest.h>

using namespace weir::policy;

TEST_CASE("kept room: an appservice may use half of it and no more") {
  CHECK(kept_room({0, 0}, 100) == 50);
  CHECK(kept_room({10, 10}, 100) == 40);
  CHECK(kept_room({50, 50}, 100) == 0);
  CHECK(kept_room({60, 60}, 100) == 0); // From before there was such a bound.
}

TEST_CASE("kept room: what others hold leaves the rest") {
  CHECK(kept_room({50, 0}, 100) == 50);
  CHECK(kept_room({70, 0}, 100) == 30);
  CHECK(kept_room({70, 40}, 100) == 10);
  CHECK(kept_room({100, 0}, 100) == 0);
  CHECK(kept_room({120, 0}, 100) == 0);
}

TEST_CASE("kept room: full queues leave half to refused elements") {
  CHECK(overflow_room({0, 0}, 100) == 50);
  CHECK(overflow_room({30, 0}, 100) == 20);
  CHECK(overflow_room({30, 30}, 100) == 20);
  CHECK(overflow_room({50, 0}, 100) == 0);
  CHECK(overflow_room({80, 0}, 100) == 0);
}
