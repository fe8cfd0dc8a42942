#include "actors/policy/delivery.hpp"
#include "tests/unit/policy/delivery_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;
using policy::retry_ruling;

TEST_CASE("delivery: a paused queue sends nothing until it is resumed") {
  queue_of_one on;
  on.of.set_halted(true);
  CHECK(on.next() == delivery_step::nothing);
  CHECK(on.of.may_retry(true, on.now) == retry_ruling::paused);
  on.of.set_halted(false);
  CHECK(on.next() == delivery_step::send);
}

TEST_CASE("delivery: what was in flight at a pause is settled") {
  queue_of_one on;
  const auto started = on.now;
  on.of.set_halted(true);
  on.of.answered(answer(verdict_kind::accepted), started, on.now, 0);
  CHECK(on.next() == delivery_step::settle);
  on.of.pinned({id_of(2), 1, false}, on.now);
  CHECK(on.next() == delivery_step::nothing);
}

TEST_CASE("delivery: a paused queue proves nothing") {
  queue_of_one on;
  on.send(verdict_kind::no_verdict_hang);
  on.wait_until_ready();
  REQUIRE(on.next() == delivery_step::prove_alive);
  on.of.set_halted(true);
  CHECK(on.next() == delivery_step::nothing);
}

TEST_CASE("delivery: a retry ends our own pause and keeps the step") {
  queue_of_one on;
  on.send(verdict_kind::transient);
  on.send(verdict_kind::transient);
  REQUIRE(on.next() == delivery_step::rest);
  CHECK(on.of.may_retry(false, on.now) == retry_ruling::allowed);
  on.of.retry(false, on.now);
  CHECK(on.next() == delivery_step::send);
  CHECK(on.of.may_retry(false, on.now) == retry_ruling::not_held_up);
  on.send(verdict_kind::transient);
  CHECK(on.rest() == 4s);
}

TEST_CASE("delivery: only force breaks what the bridge asked for") {
  queue_of_one on;
  on.send(verdict_kind::transient, 60s);
  CHECK(on.of.may_retry(false, on.now) == retry_ruling::peer_asked);
  CHECK(on.of.peer_asked_until() == on.now + 60s);
  on.of.retry(false, on.now);
  CHECK(on.next() == delivery_step::rest);
  CHECK(on.of.may_retry(true, on.now) == retry_ruling::allowed);
  on.of.retry(true, on.now);
  CHECK(on.next() == delivery_step::send);
}

TEST_CASE("delivery: a retry tries a blocked queue once") {
  queue_of_one on{changed(false, false), {"run-1", 1, true}};
  for (int tries = 0; tries < 3; ++tries)
    on.send(verdict_kind::rejected);
  REQUIRE(on.of.state() == delivery_state::blocked);
  CHECK(on.of.may_retry(false, on.now) == retry_ruling::allowed);
  on.of.retry(false, on.now);
  on.send(verdict_kind::rejected);
  CHECK(on.of.state() == delivery_state::blocked);
  CHECK(on.rest() >= 60s);
}

TEST_CASE("delivery: a retry has damaged bytes read again") {
  delivery of{plain};
  of.nothing_owed(at(0ms));
  of.found_corrupt(at(0ms));
  CHECK(of.may_retry(false, at(1s)) == retry_ruling::allowed);
  of.retry(false, at(1s));
  of.pinned({"run-1", 1, false}, at(1s));
  CHECK(of.next(at(1s)) == delivery_step::send);
  CHECK(of.state() == delivery_state::flowing);
}

TEST_CASE("delivery: a retry of nothing is told as such") {
  delivery of{plain};
  of.nothing_owed(at(0ms));
  CHECK(of.may_retry(true, at(0ms)) == retry_ruling::nothing_owed);
}

TEST_CASE("delivery: a retry does not wait for our own transport") {
  queue_of_one on;
  for (int times = 0; times < 9; ++times)
    on.of.interrupted(on.now);
  REQUIRE(on.next() == delivery_step::rest);
  on.of.retry(false, on.now);
  CHECK(on.next() == delivery_step::send);
}

TEST_CASE("delivery: after a skip only the bridge's wish is left") {
  queue_of_one on;
  on.send(verdict_kind::transient);
  on.of.skipped(on.now);
  CHECK(on.next() == delivery_step::nothing);
  on.of.pinned({id_of(2), 1, false}, on.now);
  CHECK(on.next() == delivery_step::send);
  CHECK(on.of.attempts() == 0);
  on.send(verdict_kind::transient, 60s);
  on.of.skipped(on.now);
  on.of.pinned({id_of(3), 1, false}, on.now);
  CHECK(on.next() == delivery_step::rest);
  CHECK(on.rest() == 60s);
}

TEST_CASE("delivery: a skip frees a blocked and a damaged queue") {
  queue_of_one on{changed(false, false), {"run-1", 1, true}};
  for (int tries = 0; tries < 3; ++tries)
    on.send(verdict_kind::rejected);
  REQUIRE(on.of.state() == delivery_state::blocked);
  on.of.skipped(on.now);
  on.of.pinned({id_of(2), 1, false}, on.now);
  CHECK(on.next() == delivery_step::send);
  on.of.found_corrupt(on.now);
  on.of.skipped(on.now);
  on.of.nothing_owed(on.now);
  CHECK(on.of.state() == delivery_state::flowing);
}

TEST_CASE("delivery: a command waits for what was accepted alone") {
  queue_of_one on{plain, {"run-1", 4, true}};
  CHECK(on.of.gives_way_to_command());
  on.send(verdict_kind::rejected);
  REQUIRE(on.next() == delivery_step::settle);
  CHECK(on.of.gives_way_to_command());
  queue_of_one accepted;
  accepted.send(verdict_kind::accepted);
  CHECK_FALSE(accepted.of.gives_way_to_command());
}
