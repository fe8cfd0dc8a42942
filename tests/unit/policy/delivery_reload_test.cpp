#include "tests/unit/policy/delivery_fixture.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("delivery: settings that change end our own pause and keep the "
          "transaction") {
  queue_of_one queue;
  queue.send(verdict_kind::misconfigured_token);
  CHECK(queue.next() == delivery_step::rest);
  queue.of.settings_changed(plain, queue.now);
  CHECK(queue.next() == delivery_step::send);
  CHECK(queue.of.attempts() == 1);
}

TEST_CASE("delivery: settings that change end no pause of the peer's") {
  queue_of_one queue;
  queue.send(verdict_kind::transient, 60s);
  queue.of.settings_changed(plain, queue.now);
  CHECK(queue.rest() == 60s);
}

TEST_CASE("delivery: settings that change end a block, and the new policy "
          "holds") {
  auto strict = plain;
  strict.dead_letter = false;
  strict.poison.rejections = 1;
  queue_of_one queue{strict, {"run-1", 1, false}};
  queue.send(verdict_kind::rejected);
  CHECK(queue.of.state() == delivery_state::blocked);
  CHECK(queue.next() == delivery_step::rest);
  auto lenient = strict;
  lenient.dead_letter = true;
  queue.of.settings_changed(lenient, queue.now);
  CHECK(queue.next() == delivery_step::send);
  queue.send(verdict_kind::rejected);
  CHECK(queue.next() == delivery_step::settle);
  CHECK(queue.of.ending() == settlement::dead_letter);
}

TEST_CASE("delivery: a refusal of a send that began before a change makes no "
          "pause, one that began after it does") {
  queue_of_one queue;
  queue.of.settings_changed(plain, at(10ms));
  queue.of.answered(answer(verdict_kind::misconfigured_token), at(0ms),
                    at(20ms), 0);
  queue.now = at(20ms);
  CHECK(queue.next() == delivery_step::send);
  queue.of.answered(answer(verdict_kind::misconfigured_token), at(20ms),
                    at(30ms), 0);
  queue.now = at(30ms);
  CHECK(queue.next() == delivery_step::rest);
}

TEST_CASE("delivery: other settings may mean another bridge, whose paths are "
          "not known") {
  auto legacy = plain;
  legacy.legacy_paths = true;
  queue_of_one queue{legacy, {"run-1", 1, false}};
  queue.send(verdict_kind::misconfigured_path);
  CHECK(queue.of.use_legacy_path());
  queue.of.settings_changed(legacy, queue.now);
  CHECK_FALSE(queue.of.use_legacy_path());
}

TEST_CASE("delivery: the third rejection by the bridge that was replaced once "
          "buried what the new one was never asked about") {
  queue_of_one queue{plain, {"run-1", 1, false}};
  queue.send(verdict_kind::rejected);
  queue.send(verdict_kind::rejected);
  queue.wait_until_ready();
  const auto started = queue.now;
  queue.pass(10ms);
  queue.of.settings_changed(plain, queue.now);
  queue.pass(10ms);
  queue.of.answered(answer(verdict_kind::rejected), started, queue.now, 0);
  CHECK(queue.next() == delivery_step::send);
}

TEST_CASE("delivery: what the old settings' answer is too big for, or was "
          "suspected of, is nothing to the new") {
  for (const auto kind :
       {verdict_kind::too_big, verdict_kind::rejected,
        verdict_kind::no_verdict_hang, verdict_kind::misconfigured_path}) {
    CAPTURE(policy::to_string(kind));
    const auto legacy = changed(true, true);
    queue_of_one queue{legacy, {"run-1", 2, true}};
    queue.of.settings_changed(legacy, at(10ms));
    queue.of.answered(answer(kind), at(0ms), at(20ms), 0);
    queue.now = at(20ms);
    CHECK(queue.next() == delivery_step::send);
    CHECK_FALSE(queue.of.use_legacy_path());
  }
}

TEST_CASE("delivery: what was taken by the old settings is delivered, and says "
          "nothing of the new one's paths") {
  const auto legacy = changed(true, true);
  queue_of_one queue{legacy};
  queue.of.settings_changed(legacy, at(10ms));
  queue.of.answered(answer(verdict_kind::accepted), at(0ms), at(20ms), 0);
  queue.now = at(20ms);
  queue.of.settings_changed(legacy, queue.now);
  CHECK(queue.of.ending() == settlement::delivered);
  queue.settled(settlement::delivered, {"run-2", 1, false});
  queue.send(verdict_kind::misconfigured_path);
  CHECK(queue.of.use_legacy_path());
}

TEST_CASE("delivery: a Retry-After holds that came after a change") {
  queue_of_one queue;
  queue.of.settings_changed(plain, at(10ms));
  queue.of.answered(answer(verdict_kind::rejected, 60s), at(0ms), at(20ms), 0);
  queue.now = at(20ms);
  CHECK(queue.rest() == 60s);
}

TEST_CASE("delivery: rejections are counted anew after a change") {
  queue_of_one queue{plain, {"run-1", 1, false}};
  queue.send(verdict_kind::rejected);
  queue.send(verdict_kind::rejected);
  queue.of.settings_changed(plain, queue.now);
  queue.pass(1ms);
  queue.send(verdict_kind::rejected);
  queue.send(verdict_kind::rejected);
  CHECK(queue.next() == delivery_step::rest);
  queue.send(verdict_kind::rejected);
  CHECK(queue.of.ending() == settlement::dead_letter);
}

TEST_CASE("delivery: hangs are counted anew after a change, and one of before "
          "is not proved") {
  queue_of_one queue;
  for (int i = 0; i < 4; ++i)
    queue.hang(true);
  queue.send(verdict_kind::no_verdict_hang);
  queue.wait_until_ready();
  REQUIRE(queue.next() == delivery_step::prove_alive);
  queue.of.settings_changed(plain, queue.now);
  queue.of.proved(true, queue.now);
  queue.pass(1ms);
  for (int i = 0; i < 4; ++i) {
    queue.hang(true);
    CHECK(queue.next() == delivery_step::send);
  }
  queue.hang(true);
  CHECK(queue.of.ending() == settlement::bisected);
}

TEST_CASE(
  "delivery: an ending that the store has not taken yet is dropped by a "
  "change, and finding no room for it blocks nothing") {
  queue_of_one queue{plain, {"run-1", 1, false}};
  queue.send(verdict_kind::too_big);
  REQUIRE(queue.of.ending() == settlement::dead_letter);
  queue.of.settings_changed(plain, queue.now);
  CHECK(queue.next() == delivery_step::send);
  queue.of.no_room_for_dead_letters(queue.now);
  CHECK(queue.next() == delivery_step::send);
}
