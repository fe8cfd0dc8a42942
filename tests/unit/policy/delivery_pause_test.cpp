#include "tests/unit/policy/delivery_fixture.hpp"

#include "schema/limits.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using stored = std::optional<delivery::stored_pause>;

/// What ends a stored pause.
const stored none{{0ms, false, {}}};

/// A queue whose own pause of 8 s began at its `now`.
queue_of_one resting_for_8s() {
  queue_of_one queue;
  for (int i = 0; i < 4; ++i)
    queue.send(verdict_kind::transient);
  return queue;
}

} // namespace

TEST_CASE("delivery: nothing is sent before the moment that the peer named") {
  for (const auto kind :
       {verdict_kind::transient, verdict_kind::misconfigured_token,
        verdict_kind::misconfigured_path, verdict_kind::rejected,
        verdict_kind::no_verdict_hang}) {
    queue_of_one queue;
    queue.send(kind, 60s);
    CHECK(queue.rest() == 60s);
    queue.of.bridge_alive(queue.now);
    CHECK(queue.next() == delivery_step::rest);
    queue.pass(60s - 1ms);
    CHECK(queue.next() == delivery_step::rest);
    queue.pass(1ms);
    CHECK(queue.next() != delivery_step::rest);
  }
}

TEST_CASE("delivery: a Retry-After holds beyond the end of a transaction") {
  for (const auto& [kind, how] :
       {std::pair{verdict_kind::rejected, settlement::bisected},
        std::pair{verdict_kind::too_big, settlement::split}}) {
    queue_of_one queue{plain, {"run-1", 4, true}};
    queue.send(kind, 60s);
    // What it ends is between us and the store: no reason to wait.
    queue.settled(how, {"run-2", 2, true});
    CHECK(queue.next() == delivery_step::rest);
    CHECK(queue.rest() == 60s);
    CHECK(queue.of.state() == delivery_state::resting);
    CHECK(queue.of.cause() == policy::to_string(kind));
  }
}

TEST_CASE("delivery: a verdict in an overload leaves the peer's pause alone") {
  queue_of_one queue{plain, {"run-1", 4, true}};
  queue.of.answered(answer(verdict_kind::transient, 60s), at(0ms), at(0ms), 0);
  // Sent before the bridge asked for the pause, answered after.
  queue.of.answered(answer(verdict_kind::rejected), at(0ms), at(10ms), 0);
  queue.now = at(10ms);
  queue.settled(settlement::bisected, {"run-2", 2, true});
  CHECK(queue.of.ready_at() == at(60s));
}

TEST_CASE("delivery: a queue that owes nothing rests no more") {
  queue_of_one queue{plain, {"run-1", 1, true}};
  queue.send(verdict_kind::too_big, 60s);
  queue.of.nothing_owed(queue.now);
  CHECK(queue.of.state() == delivery_state::flowing);
  CHECK(queue.of.cause().empty());
  // What comes next waits as the bridge asked.
  queue.of.pinned({"run-2", 1, false}, queue.now);
  CHECK(queue.rest() == 60s);
  CHECK(queue.of.state() == delivery_state::resting);
}

TEST_CASE("delivery: a ping ends our own pause and keeps the step") {
  queue_of_one queue;
  queue.send(verdict_kind::transient);
  queue.send(verdict_kind::transient);
  CHECK(queue.rest() == 2s);
  queue.pass(1ms);
  queue.of.bridge_alive(queue.now);
  CHECK(queue.next() == delivery_step::send);
  queue.send(verdict_kind::transient);
  CHECK(queue.rest() == 4s);
}

TEST_CASE("delivery: any pause that the peer asked for is stored") {
  queue_of_one queue;
  CHECK(queue.of.pause_to_store(queue.now) == stored{});
  queue.send(verdict_kind::transient, 1'500ms);
  CHECK(queue.of.pause_to_store(queue.now) == stored{{1'500ms, true, {}}});
  queue.pass(500ms);
  CHECK(queue.of.pause_to_store(queue.now) == stored{{1s, true, {}}});
  queue.pass(1s);
  CHECK(queue.of.pause_to_store(queue.now) == stored{});
}

TEST_CASE("delivery: a stored pause is rounded up, never down") {
  queue_of_one queue;
  queue.send(verdict_kind::transient, 60s);
  queue.now += std::chrono::microseconds{1};
  CHECK(queue.of.pause_to_store(queue.now) == stored{{60s, true, {}}});
  CHECK(
    queue.of.pause_to_store(queue.of.ready_at() - std::chrono::nanoseconds{1})
    == stored{{1ms, true, {}}});
}

TEST_CASE("delivery: our own pause is stored from 5 s on") {
  queue_of_one queue;
  for (const auto pause : {1s, 2s, 4s}) {
    queue.send(verdict_kind::transient);
    CHECK(queue.rest() == pause);
    CHECK(queue.of.pause_to_store(queue.now) == stored{});
  }
  queue.send(verdict_kind::transient);
  CHECK(queue.of.pause_to_store(queue.now) == stored{{8s, false, {}}});
  queue.pass(8s - limits::own_pause_stored_from);
  CHECK(queue.of.pause_to_store(queue.now) == stored{{5s, false, {}}});
  queue.pass(1ms);
  CHECK(queue.of.pause_to_store(queue.now) == stored{});
}

TEST_CASE("delivery: a pause that is partly the peer's is stored as such") {
  queue_of_one queue;
  for (int i = 0; i < 5; ++i)
    queue.send(verdict_kind::transient);
  queue.send(verdict_kind::transient, 1s);
  CHECK(queue.of.pause_to_store(queue.now) == stored{{32s, true, {}}});
}

TEST_CASE("delivery: a pause is stored once") {
  auto queue = resting_for_8s();
  const auto pause = queue.of.pause_to_store(queue.now);
  REQUIRE(pause.has_value());
  queue.pass(1s); // The store takes its time.
  queue.of.pause_stored(*pause, true);
  CHECK(queue.of.pause_to_store(queue.now) == stored{});
  queue.send(verdict_kind::transient);
  CHECK(queue.of.pause_to_store(queue.now) == stored{{16s, false, {}}});
}

TEST_CASE("delivery: a pause that could not be stored is stored later") {
  auto queue = resting_for_8s();
  queue.of.pause_stored(*queue.of.pause_to_store(queue.now), false);
  CHECK(queue.of.pause_to_store(queue.now) == stored{{8s, false, {}}});
}

TEST_CASE("delivery: a ping ends a stored pause of ours in the store too") {
  auto queue = resting_for_8s();
  queue.of.pause_stored(*queue.of.pause_to_store(queue.now), true);
  queue.pass(1s);
  queue.of.bridge_alive(queue.now);
  CHECK(queue.next() == delivery_step::send);
  const auto end = queue.of.pause_to_store(queue.now);
  CHECK(end == none);
  SUBCASE("once") {
    queue.of.pause_stored(*end, true);
    CHECK(queue.of.pause_to_store(queue.now) == stored{});
  }
  SUBCASE("again, when it is not known whether it was") {
    queue.of.pause_stored(*end, false);
    CHECK(queue.of.pause_to_store(queue.now) == none);
  }
  SUBCASE("but not after it would have ended by itself") {
    queue.pass(7s);
    CHECK(queue.of.pause_to_store(queue.now) == stored{});
  }
}

TEST_CASE("delivery: a ping leaves in the store what the peer asked for") {
  auto queue = resting_for_8s();
  queue.send(verdict_kind::transient, 6s); // And 16 s of our own.
  queue.of.pause_stored(*queue.of.pause_to_store(queue.now), true);
  queue.pass(1s);
  queue.of.bridge_alive(queue.now);
  CHECK(queue.rest() == 5s);
  CHECK(queue.of.pause_to_store(queue.now) == stored{{5s, true, {}}});
}

TEST_CASE("delivery: a ping before a pause is restored ends it") {
  for (const bool by_peer : {true, false}) {
    delivery of{plain};
    of.bridge_alive(at(0s));
    of.restore_pause(at(0s), 60s, by_peer);
    of.pinned({"run-1", 1, false}, at(0s));
    CHECK(of.next(at(0s))
          == (by_peer ? delivery_step::rest : delivery_step::send));
    CHECK(of.pause_to_store(at(0s)) == (by_peer ? stored{} : none));
    if (by_peer)
      continue;
    of.answered(answer(verdict_kind::transient), at(1ms), at(1s), 0);
    CHECK(of.ready_at() == at(1s + 120s)); // The step stays.
  }
}

TEST_CASE("delivery: the end of our own transport is no try and no refusal") {
  queue_of_one queue;
  queue.send(verdict_kind::transient);
  queue.wait_until_ready();
  queue.of.interrupted(queue.now);
  CHECK(queue.rest() == 200ms);
  CHECK(queue.of.attempts() == 1);
  CHECK(queue.of.last_error() == "transient");
  CHECK(queue.of.pause_to_store(queue.now) == stored{});
  queue.send(verdict_kind::transient);
  CHECK(queue.rest() == 2s); // As if it had not been.
}

TEST_CASE("delivery: a transport that ends again and again is given time") {
  queue_of_one queue;
  for (const auto wait : {200ms, 400ms, 800ms, 1'600ms}) {
    queue.of.interrupted(queue.now);
    CHECK(queue.rest() == wait);
    CHECK(queue.of.state() == delivery_state::resting);
    CHECK(queue.of.cause() == "our own transport was restarted");
    queue.wait_until_ready();
  }
  SUBCASE("until a send is answered") {
    queue.send(verdict_kind::accepted);
    queue.settled(settlement::delivered, {"run-2", 1, false});
  }
  SUBCASE("until a ping is answered") {
    queue.of.proved(false, queue.now);
  }
  queue.pass(1ms);
  queue.of.interrupted(queue.now);
  CHECK(queue.rest() == 200ms);
}

TEST_CASE("delivery: no interruption rests longer than the longest pause") {
  queue_of_one queue;
  for (int i = 0; i < 30; ++i) {
    queue.wait_until_ready();
    queue.of.interrupted(queue.now);
  }
  CHECK(queue.rest() == plain.pause.ceiling);
  auto hasty = plain;
  hasty.pause.first = hasty.pause.ceiling = 10ms;
  queue_of_one other{hasty};
  other.of.interrupted(other.now);
  CHECK(other.rest() == 200ms);
}

TEST_CASE("delivery: an interrupted proof is asked for again") {
  queue_of_one queue;
  queue.send(verdict_kind::no_verdict_hang);
  queue.wait_until_ready();
  REQUIRE(queue.next() == delivery_step::prove_alive);
  queue.of.interrupted(queue.now);
  queue.wait_until_ready();
  CHECK(queue.next() == delivery_step::prove_alive);
}

TEST_CASE("delivery: a stored pause holds after a restart") {
  for (const bool by_peer : {true, false}) {
    delivery of{plain};
    of.restore_pause(at(0s), 60s, by_peer);
    CHECK(of.state() == delivery_state::resting);
    CHECK(of.cause().find(by_peer ? "asked" : "back-off") != std::string::npos);
    of.pinned({"run-1", 1, false}, at(0s));
    CHECK(of.state() == delivery_state::resting);
    CHECK(!of.cause().empty());
    CHECK(of.next(at(60s - 1ms)) == delivery_step::rest);
    CHECK(of.next(at(60s)) == delivery_step::send);
    of.bridge_alive(at(1s));
    CHECK((of.next(at(1s)) == delivery_step::send) == !by_peer);
    // It is there already; the end of our own is not.
    CHECK(of.pause_to_store(at(1s)) == (by_peer ? stored{} : none));
  }
}

TEST_CASE("delivery: a restored back-off goes on from where it was") {
  delivery of{plain};
  of.restore_pause(at(0s), 60s, false);
  of.pinned({"run-1", 1, false}, at(0s));
  of.answered(answer(verdict_kind::transient), at(60s), at(61s), 0);
  CHECK(of.ready_at() == at(61s + 120s));
}

TEST_CASE("delivery: a stored pause that is over is none") {
  for (const milliseconds left : {0ms, -1ms}) {
    delivery of{plain};
    of.restore_pause(at(0s), left, true);
    CHECK(of.state() == delivery_state::flowing);
    CHECK(of.cause().empty());
  }
}

TEST_CASE("delivery: a stored pause of a millisecond holds") {
  delivery of{plain};
  of.restore_pause(at(0s), 1ms, true);
  CHECK(of.ready_at() == at(1ms));
  CHECK(of.state() == delivery_state::resting);
}

TEST_CASE("delivery: what is pinned when a pause ends is at rest no more") {
  queue_of_one queue;
  queue.send(verdict_kind::transient);
  queue.wait_until_ready();
  queue.of.pinned({"run-2", 1, false}, queue.now);
  CHECK(queue.next() == delivery_step::send);
  CHECK(queue.of.state() == delivery_state::flowing);
}

TEST_CASE("delivery: a stored clock that was put back holds nobody for long") {
  delivery of{plain};
  of.restore_pause(at(0s), 24h, true);
  CHECK(of.ready_at() <= at(limits::retry_after_max));
}

TEST_CASE("delivery: a reload does not bring back a pause that was ended") {
  queue_of_one queue;
  for (int i = 0; i < 6; ++i)
    queue.send(verdict_kind::transient);
  CHECK(queue.of.pause_to_store(queue.now) == stored{{32s, false, {}}});
  queue.pass(1s);
  queue.of.bridge_alive(queue.now);
  // The writer was restarted meanwhile, and the queue loads again.
  queue.of.restore_pause(queue.now, 31s, false);
  queue.of.pinned({"run-1", 10, false}, queue.now);
  CHECK(queue.next() == delivery_step::send);
  CHECK(queue.of.cause() == "transient");
  queue.send(verdict_kind::transient);
  CHECK(queue.rest() == 64s); // Nor does it set the step back.
}

TEST_CASE("delivery: a pause restored into an empty queue holds for the next") {
  delivery of{plain};
  of.restore_pause(at(0s), 60s, true);
  of.nothing_owed(at(0s));
  CHECK(of.state() == delivery_state::flowing);
  CHECK(of.next(at(0s)) == delivery_step::nothing);
  of.pinned({"run-1", 1, false}, at(1s));
  CHECK(of.next(at(1s)) == delivery_step::rest);
  CHECK(of.cause() == "the bridge asked for a pause");
  CHECK(of.next(at(60s)) == delivery_step::send);
}
