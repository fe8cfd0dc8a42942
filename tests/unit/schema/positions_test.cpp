#include "schema/positions.hpp"
#include "tests/support/token_samples.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

constexpr int rounds = 2'000;

/// Three vectors over few slots and few positions, so that all ways to stand to
/// one another come up.
struct drawn {
  position_vector a;
  position_vector b;
  position_vector c;
};

template <class Check>
void for_drawn(Check check) {
  token_source source{20'261'130};
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const drawn three{source.vector(3, 4), source.vector(3, 4),
                      source.vector(3, 4)};
    check(three);
  }
}

} // namespace

TEST_CASE("positions: T7 a slot that is not in a vector is at 0") {
  const auto at = vector_of({{2, 7, 5}});
  CHECK(at.pos_of(2) == 5);
  CHECK(at.pos_of(1) == 0);
  CHECK(at.pos_of(3) == 0);
  CHECK(at.covers({}));
  CHECK(!at.covers(vector_of({{1, 7, 1}})));
  CHECK(!position_vector{}.covers(at));
}

TEST_CASE("positions: position 0 says nothing") {
  CHECK(vector_of({{2, 7, 0}}) == position_vector{});
}

TEST_CASE("positions: a slot is raised and never lowered") {
  auto at = vector_of({{2, 7, 5}});
  at.raise({2, 9, 4});
  CHECK(at == vector_of({{2, 7, 5}}));
  at.raise({2, 3, 6});
  REQUIRE(at.positions().size() == 1);
  CHECK(at.positions()[0] == slot_position{2, 3, 6});
}

TEST_CASE("positions: slots are kept in ascending order") {
  const auto at = vector_of({{5, 1, 1}, {2, 1, 1}, {9, 1, 1}, {3, 1, 1}});
  uint32_t last = 0;
  for (const auto& each : at.positions()) {
    CHECK(each.slot > last);
    last = each.slot;
  }
  CHECK(at.positions().size() == 4);
}

TEST_CASE("positions: of two vectors neither may cover the other") {
  const auto a = vector_of({{1, 7, 5}, {2, 7, 1}});
  const auto b = vector_of({{1, 7, 4}, {2, 7, 2}});
  CHECK(!a.covers(b));
  CHECK(!b.covers(a));
}

TEST_CASE("positions: the order is partial") {
  int apart = 0;
  for_drawn([&](const drawn& of) {
    CHECK(of.a.covers(of.a));
    if (of.a.covers(of.b) && of.b.covers(of.a))
      CHECK(of.a == of.b);
    if (of.a.covers(of.b) && of.b.covers(of.c))
      CHECK(of.a.covers(of.c));
    apart += !of.a.covers(of.b) && !of.b.covers(of.a) ? 1 : 0;
  });
  CHECK(apart > rounds / 10);
}

TEST_CASE("positions: a join is the least that covers both") {
  for_drawn([](const drawn& of) {
    const auto both = joined(of.a, of.b);
    CHECK(both.covers(of.a));
    CHECK(both.covers(of.b));
    if (of.c.covers(of.a) && of.c.covers(of.b))
      CHECK(of.c.covers(both));
  });
}

TEST_CASE("positions: joins may come in any order and more than once") {
  for_drawn([](const drawn& of) {
    CHECK(joined(of.a, of.b) == joined(of.b, of.a));
    CHECK(joined(joined(of.a, of.b), of.c) == joined(of.a, joined(of.b, of.c)));
    CHECK(joined(of.a, of.a) == of.a);
    CHECK(joined(of.a, {}) == of.a);
  });
}

TEST_CASE("positions: two runs at one position join the same in any order") {
  const auto a = vector_of({{1, 7, 5}});
  const auto b = vector_of({{1, 8, 5}});
  CHECK(joined(a, b) == joined(b, a));
  CHECK(a.covers(b));
  CHECK(b.covers(a));
}
