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
