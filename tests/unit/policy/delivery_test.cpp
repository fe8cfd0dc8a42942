#include "tests/unit/policy/delivery_fixture.hpp"

#include "schema/limits.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("delivery: a queue that owes nothing waits for a wake") {
  delivery of{plain};
  CHECK(of.next(at(0s)) == delivery_step::nothing);
  of.nothing_owed(at(0s));
  CHECK(of.next(at(24h)) == delivery_step::nothing);
  CHECK(of.state() == delivery_state::flowing);
  CHECK(of.attempts() == 0);
  CHECK(of.cause().empty());
  CHECK(of.last_error().empty());
}

TEST_CASE("delivery: what is pinned is sent, accepted, settled once") {
  queue_of_one queue;
  CHECK(queue.next() == delivery_step::send);
  queue.send(verdict_kind::accepted);
  CHECK(queue.next() == delivery_step::settle);
  CHECK(queue.of.ending() == settlement::delivered);
  CHECK(queue.of.attempts() == 1);
  CHECK(queue.of.cause().empty());
  CHECK(queue.of.state() == delivery_state::flowing);
  queue.of.nothing_owed(queue.now);
  CHECK(queue.next() == delivery_step::nothing);
}

TEST_CASE("delivery: the next transaction goes at once after an ending") {
  queue_of_one queue;
  queue.send(verdict_kind::accepted);
  queue.settled(settlement::delivered, {"run-2", 1, false});
  CHECK(queue.next() == delivery_step::send);
  CHECK(queue.of.attempts() == 0);
}

TEST_CASE("delivery: a refused transaction rests, doubling, and goes again") {
  queue_of_one queue;
  for (const auto pause : {1s, 2s, 4s, 8s}) {
    queue.send(verdict_kind::transient);
    CHECK(queue.next() == delivery_step::rest);
    CHECK(queue.rest() == pause);
    queue.pass(pause - 1ms);
    CHECK(queue.next() == delivery_step::rest);
    queue.pass(1ms);
    CHECK(queue.next() == delivery_step::send);
  }
  CHECK(queue.of.attempts() == 4);
  queue.send(verdict_kind::accepted);
  queue.settled(settlement::delivered, {"run-2", 1, false});
  queue.send(verdict_kind::transient);
  CHECK(queue.rest() == 1s); // The episode ended with the acknowledgement.
}

TEST_CASE("delivery: jitter lengthens the pause") {
  auto limits = plain;
  limits.pause.jitter = 0.5;
  queue_of_one queue{limits};
  queue.of.answered(answer(verdict_kind::transient), queue.now, queue.now, 0.5);
  CHECK(queue.rest() == 1'250ms);
}

TEST_CASE("delivery: a refusal of a send from before the pause costs no step") {
  queue_of_one queue;
  queue.of.answered(answer(verdict_kind::transient), at(0ms), at(10ms), 0);
  CHECK(queue.of.ready_at() == at(1'010ms));
  queue.of.answered(answer(verdict_kind::transient), at(5ms), at(20ms), 0);
  CHECK(queue.of.ready_at() == at(1'020ms));
}

TEST_CASE("delivery: an acceptance from before the pause ends no episode") {
  queue_of_one queue;
  queue.of.answered(answer(verdict_kind::transient), at(0ms), at(10ms), 0);
  queue.of.answered(answer(verdict_kind::accepted), at(5ms), at(20ms), 0);
  queue.now = at(20ms);
  queue.settled(settlement::delivered, {"run-2", 1, false});
  CHECK(queue.next() == delivery_step::rest);
  queue.send(verdict_kind::transient);
  CHECK(queue.rest() == 2s);
}

TEST_CASE("delivery: no number of transient answers gives anything up") {
  for (const bool dead_letter : {true, false}) {
    queue_of_one queue{changed(dead_letter, false), {"run-1", 1, true}};
    for (int i = 0; i < 10'000; ++i)
      queue.send(verdict_kind::transient);
    CHECK(queue.next() == delivery_step::rest);
    CHECK(queue.rest() == 300s);
    CHECK(queue.of.state() == delivery_state::resting);
    CHECK(queue.of.attempts() == 10'000);
  }
}

TEST_CASE("delivery: a wrong token or path discards nothing") {
  for (const auto kind :
       {verdict_kind::misconfigured_token, verdict_kind::misconfigured_path}) {
    queue_of_one queue{plain, {"run-1", 1, true}};
    for (int i = 0; i < 1'000; ++i) {
      queue.send(kind);
      CHECK(queue.next() == delivery_step::rest);
      CHECK(!queue.of.use_legacy_path());
    }
    CHECK(queue.of.cause() == policy::to_string(kind));
  }
}

TEST_CASE("delivery: what a transaction cost is forgotten with its id") {
  queue_of_one queue;
  queue.send(verdict_kind::rejected);
  queue.send(verdict_kind::rejected);
  queue.of.pinned({"run-2", 10, false}, queue.now);
  CHECK(queue.of.attempts() == 0);
  queue.send(verdict_kind::rejected);
  queue.send(verdict_kind::rejected);
  CHECK(queue.next() == delivery_step::rest);
}

TEST_CASE("delivery: the same id pinned again keeps what it cost") {
  queue_of_one queue;
  queue.send(verdict_kind::rejected);
  queue.send(verdict_kind::rejected);
  queue.of.pinned({"run-1", 10, false}, queue.now);
  CHECK(queue.of.attempts() == 2);
  CHECK(queue.next() == delivery_step::rest);
  CHECK(queue.of.state() == delivery_state::resting);
  queue.send(verdict_kind::rejected);
  CHECK(queue.next() == delivery_step::settle);
  CHECK(queue.of.ending() == settlement::bisected);
}

TEST_CASE("delivery: an ending outlives a settlement that failed") {
  for (const auto kind : {verdict_kind::accepted, verdict_kind::too_big}) {
    queue_of_one queue;
    queue.send(kind);
    const auto ending = queue.of.ending();
    // The writer was restarted, and the store still holds the pin.
    queue.of.pinned({"run-1", 10, false}, queue.now);
    CHECK(queue.next() == delivery_step::settle);
    CHECK(queue.of.ending() == ending);
    CHECK(queue.of.attempts() == 1);
    // It had committed after all: another is pinned.
    queue.of.pinned({"run-2", 10, false}, queue.now);
    CHECK(queue.next() == delivery_step::send);
  }
}

TEST_CASE("delivery: the id after one that was forgotten starts anew") {
  queue_of_one queue;
  queue.send(verdict_kind::rejected);
  queue.of.nothing_owed(queue.now);
  queue.of.pinned({"run-1", 10, false}, queue.now);
  CHECK(queue.of.attempts() == 0);
}

TEST_CASE("delivery: bytes that are not the promised ones are never sent") {
  queue_of_one queue;
  queue.pass(5s);
  queue.of.found_corrupt(queue.now);
  CHECK(queue.of.state() == delivery_state::blocked);
  CHECK(queue.of.since() == at(5s));
  CHECK(queue.of.cause() == "stored bytes differ from the pin");
  CHECK(queue.of.last_error() == "corrupt");
  CHECK(queue.of.last_error_at() == at(5s));
  queue.pass(1h);
  CHECK(queue.next() == delivery_step::nothing);
  // Nothing that is known besides makes it flow, or look as if it did.
  queue.of.restore_pause(queue.now, 60s, true);
  queue.of.nothing_owed(queue.now);
  CHECK(queue.next() == delivery_step::nothing);
  queue.of.pinned({"run-2", 1, false}, queue.now);
  queue.of.bridge_alive(queue.now);
  CHECK(queue.next() == delivery_step::nothing);
  CHECK(queue.of.state() == delivery_state::blocked);
  CHECK(queue.of.since() == at(5s));
  CHECK(queue.of.cause() == "stored bytes differ from the pin");
}

TEST_CASE("delivery: the old path is tried in turn while v1 never worked") {
  queue_of_one queue{changed(true, true)};
  CHECK(!queue.of.use_legacy_path());
  for (const bool legacy : {true, false, true, false}) {
    queue.send(verdict_kind::misconfigured_path);
    CHECK(queue.of.use_legacy_path() == legacy);
    CHECK(queue.next() == delivery_step::rest);
  }
}

TEST_CASE("delivery: a bridge that takes the old path keeps it") {
  queue_of_one queue{changed(true, true)};
  queue.send(verdict_kind::misconfigured_path);
  queue.send(verdict_kind::accepted);
  queue.settled(settlement::delivered, {"run-2", 1, false});
  CHECK(queue.of.use_legacy_path());
  queue.send(verdict_kind::transient);
  CHECK(queue.of.use_legacy_path());
  // It was replaced by one that knows v1 alone.
  queue.send(verdict_kind::misconfigured_path);
  CHECK(!queue.of.use_legacy_path());
  queue.send(verdict_kind::accepted);
  queue.settled(settlement::delivered, {"run-3", 1, false});
  queue.send(verdict_kind::misconfigured_path);
  CHECK(!queue.of.use_legacy_path());
}

TEST_CASE("delivery: what the old path took says nothing of v1") {
  queue_of_one queue{changed(true, true)};
  queue.send(verdict_kind::misconfigured_path);
  queue.send(verdict_kind::accepted);
  queue.settled(settlement::delivered, {"run-2", 1, false});
  queue.send(verdict_kind::misconfigured_path);
  CHECK(!queue.of.use_legacy_path());
  queue.send(verdict_kind::misconfigured_path);
  CHECK(queue.of.use_legacy_path());
}

TEST_CASE("delivery: the old path is never tried once v1 worked") {
  queue_of_one queue{changed(true, true)};
  queue.send(verdict_kind::accepted);
  queue.settled(settlement::delivered, {"run-2", 1, false});
  for (int i = 0; i < 4; ++i) {
    queue.send(verdict_kind::misconfigured_path);
    CHECK(!queue.of.use_legacy_path());
  }
}

TEST_CASE("delivery: only a wrong path changes the path") {
  for (const auto kind :
       {verdict_kind::transient, verdict_kind::misconfigured_token,
        verdict_kind::too_big, verdict_kind::rejected,
        verdict_kind::no_verdict_hang}) {
    queue_of_one queue{changed(true, true)};
    queue.send(kind);
    CHECK(!queue.of.use_legacy_path());
  }
}

TEST_CASE("delivery: states have names") {
  CHECK(policy::to_string(delivery_state::flowing) == "flowing");
  CHECK(policy::to_string(delivery_state::resting) == "resting");
  CHECK(policy::to_string(delivery_state::blocked) == "blocked");
  CHECK(policy::to_string(static_cast<delivery_state>(9)) == "unknown");
}

TEST_CASE("delivery: people are told of the episode, not of each try") {
  queue_of_one queue;
  CHECK(queue.of.state() == delivery_state::flowing);
  queue.pass(1s);
  queue.send({verdict_kind::transient, "http_503", {}});
  const auto began = queue.now;
  CHECK(queue.of.state() == delivery_state::resting);
  CHECK(queue.of.since() == began);
  CHECK(queue.of.cause() == "http_503");
  CHECK(queue.of.last_error() == "http_503");
  CHECK(queue.of.last_error_at() == began);
  queue.send({verdict_kind::transient, "connect_refused", {}});
  CHECK(queue.of.since() == began);
  CHECK(queue.of.cause() == "connect_refused");
  CHECK(queue.of.last_error_at() == queue.now);
  const auto failed = queue.now;
  queue.send(verdict_kind::accepted);
  CHECK(queue.of.state() == delivery_state::flowing);
  CHECK(queue.of.since() == queue.now);
  CHECK(queue.of.cause().empty());
  // What went wrong last stays known.
  CHECK(queue.of.last_error() == "connect_refused");
  CHECK(queue.of.last_error_at() == failed);
}
