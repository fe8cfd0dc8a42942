#include "http/body_budget.hpp"

#include <doctest/doctest.h>

#include <optional>

using namespace weir;

namespace {

/// A claim that counts how often it was woken.
struct counted_claim {
  counted_claim(body_budget& budget, uint64_t bytes) : claim{budget} {
    claim.ask(bytes, [this] { ++woken; });
  }
  int woken = 0;
  body_budget::claim claim;
};

} // namespace

TEST_CASE("body budget: what fits is held at once and comes back at the end") {
  body_budget budget{10};
  {
    const counted_claim first{budget, 6};
    const counted_claim second{budget, 4};
    CHECK(first.claim.held());
    CHECK(second.claim.held());
    CHECK(budget.used() == 10);
    CHECK(first.woken + second.woken == 0);
  }
  CHECK(budget.used() == 0);
}

TEST_CASE("body budget: who does not fit waits in line and is woken once") {
  body_budget budget{10};
  std::optional<counted_claim> first{std::in_place, budget, 6};
  counted_claim large{budget, 5};
  counted_claim small{budget, 1};
  CHECK(!large.claim.held());
  CHECK(!small.claim.held());
  first.reset();
  CHECK(large.claim.held());
  CHECK(small.claim.held());
  CHECK(large.woken == 1);
  CHECK(small.woken == 1);
  CHECK(budget.used() == 6);
}

TEST_CASE("body budget: leaving the line lets those behind pass") {
  body_budget budget{10};
  const counted_claim first{budget, 6};
  std::optional<counted_claim> large{std::in_place, budget, 5};
  const counted_claim small{budget, 1};
  large.reset();
  CHECK(small.claim.held());
  CHECK(budget.used() == 7);
}

TEST_CASE("body budget: what a claim does not need goes to the next") {
  body_budget budget{10};
  counted_claim first{budget, 10};
  const counted_claim next{budget, 8};
  first.claim.shrink_to(3);
  CHECK(!next.claim.held());
  first.claim.shrink_to(2);
  CHECK(next.claim.held());
  first.claim.shrink_to(9);
  CHECK(budget.used() == 10);
}

TEST_CASE("body budget: more than all of it is admitted alone") {
  body_budget budget{10};
  std::optional<counted_claim> first{std::in_place, budget, 1};
  std::optional<counted_claim> huge{std::in_place, budget, 50};
  CHECK(!huge->claim.held());
  first.reset();
  CHECK(huge->claim.held());
  const counted_claim next{budget, 1};
  CHECK(!next.claim.held());
  huge.reset();
  CHECK(next.claim.held());
}

TEST_CASE("body budget: a claim that never asked leaves nothing behind") {
  body_budget budget{10};
  {
    const body_budget::claim idle{budget};
    CHECK(!idle.held());
  }
  CHECK(budget.used() == 0);
}
