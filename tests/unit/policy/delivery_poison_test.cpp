#include "tests/unit/policy/delivery_fixture.hpp"

#include <vector>

using namespace weir;
using namespace weir::test;

namespace {

/// Rejects the pinned transaction until something else than a retry is due.
int rejections_until_settled(queue_of_one& queue) {
  int rejections = 0;
  do {
    queue.send(verdict_kind::rejected);
    ++rejections;
    REQUIRE(rejections < 100);
  } while (queue.next() == delivery_step::rest);
  return rejections;
}

} // namespace

TEST_CASE("delivery: content rejected three times is bisected") {
  queue_of_one queue;
  CHECK(rejections_until_settled(queue) == 3);
  CHECK(queue.next() == delivery_step::settle);
  CHECK(queue.of.ending() == settlement::bisected);
  CHECK(queue.of.cause() == "rejected");
  CHECK(queue.of.attempts() == 3);
}

TEST_CASE("delivery: answers without a verdict do not count as rejections") {
  queue_of_one queue;
  for (const auto kind :
       {verdict_kind::rejected, verdict_kind::transient,
        verdict_kind::misconfigured_token, verdict_kind::misconfigured_path,
        verdict_kind::rejected, verdict_kind::transient}) {
    queue.send(kind);
    CHECK(queue.next() == delivery_step::rest);
  }
  queue.send(verdict_kind::rejected);
  CHECK(queue.next() == delivery_step::settle);
}

TEST_CASE("delivery: inside a suspect stretch one rejection is enough") {
  queue_of_one queue{plain, {"run-1", 5, true}};
  CHECK(rejections_until_settled(queue) == 1);
  CHECK(queue.of.ending() == settlement::bisected);
}

TEST_CASE("delivery: a lone element is a dead letter at the full count") {
  for (const bool suspect : {false, true}) {
    queue_of_one queue{plain, {"run-1", 1, suspect}};
    CHECK(rejections_until_settled(queue) == 3);
    CHECK(queue.of.ending() == settlement::dead_letter);
    CHECK(queue.of.cause() == "rejected");
  }
}

TEST_CASE("delivery: a verdict on the content is no overload") {
  queue_of_one queue;
  CHECK(rejections_until_settled(queue) == 3); // Pauses of 1 s and 2 s.
  // Seven halves down to one element: none of them waits, none costs a step.
  for (uint64_t elements : {50U, 25U, 12U, 6U, 3U, 2U}) {
    queue.settled(settlement::bisected, {id_of(elements), elements, true});
    CHECK(queue.next() == delivery_step::send);
    queue.send(verdict_kind::rejected);
  }
  queue.settled(settlement::bisected, {"run-last", 1, true});
  queue.send(verdict_kind::rejected);
  CHECK(queue.rest() == 4s);
  queue.send(verdict_kind::rejected);
  CHECK(queue.rest() == 8s);
  queue.send(verdict_kind::rejected);
  queue.settled(settlement::dead_letter, {"run-after", 1, false});
  CHECK(queue.next() == delivery_step::send);
}

TEST_CASE("delivery: a bridge that rejects everything is paced more and more") {
  queue_of_one queue{plain, {"run-1", 1, false}};
  milliseconds first_letter{0};
  for (uint64_t letter = 1; letter <= 20; ++letter) {
    const auto began = queue.now;
    CHECK(rejections_until_settled(queue) == 3);
    const auto took = queue.now - began;
    if (letter == 1)
      first_letter = std::chrono::ceil<milliseconds>(took);
    if (letter == 20)
      CHECK(took >= 2 * 300s);
    queue.settled(settlement::dead_letter, {id_of(letter + 1), 1, false});
  }
  CHECK(first_letter < 4s);
}

TEST_CASE("delivery: blocked by policy means tried again at the ceiling") {
  queue_of_one queue{changed(false, false), {"run-1", 1, false}};
  queue.send(verdict_kind::rejected);
  queue.send(verdict_kind::rejected);
  CHECK(queue.of.state() == delivery_state::resting);
  queue.send(verdict_kind::rejected);
  const auto blocked = queue.now;
  for (int i = 0; i < 50; ++i) {
    CHECK(queue.next() == delivery_step::rest);
    CHECK(queue.rest() == 300s);
    CHECK(queue.of.state() == delivery_state::blocked);
    CHECK(queue.of.since() == blocked); // Not of the last try.
    CHECK(queue.of.cause() == "rejected");
    queue.send(verdict_kind::rejected);
  }
  queue.send(verdict_kind::accepted);
  CHECK(queue.of.state() == delivery_state::flowing);
  queue.settled(settlement::delivered, {"run-2", 1, false});
  CHECK(queue.next() == delivery_step::send);
}

TEST_CASE("delivery: a ping does not hurry a blocked queue") {
  queue_of_one queue{changed(false, false), {"run-1", 1, false}};
  for (int i = 0; i < 3; ++i)
    queue.send(verdict_kind::rejected);
  queue.of.bridge_alive(queue.now);
  CHECK(queue.rest() == 300s);
}

TEST_CASE("delivery: a blocked queue stays blocked while its bridge is away") {
  queue_of_one queue{changed(false, false), {"run-1", 1, false}};
  for (int i = 0; i < 3; ++i)
    queue.send(verdict_kind::rejected);
  const auto blocked = queue.now;
  queue.send({verdict_kind::transient, "connect_refused", {}});
  CHECK(queue.of.state() == delivery_state::blocked);
  CHECK(queue.of.since() == blocked);
  CHECK(queue.of.last_error() == "connect_refused");
  CHECK(queue.next() == delivery_step::rest);
  queue.send(verdict_kind::rejected);
  CHECK(queue.rest() == 300s);
}

TEST_CASE("delivery: another head frees a blocked queue") {
  queue_of_one queue{changed(false, false), {"run-1", 1, false}};
  for (int i = 0; i < 3; ++i)
    queue.send(verdict_kind::rejected);
  queue.pass(5s); // Beyond the back-off of the last refusal.
  queue.of.pinned({"run-2", 1, false}, queue.now);
  CHECK(queue.next() == delivery_step::send);
  CHECK(queue.of.state() == delivery_state::flowing);
  CHECK(queue.of.cause().empty());
}

TEST_CASE("delivery: without room for dead letters the queue holds") {
  queue_of_one queue{plain, {"run-1", 1, false}};
  CHECK(rejections_until_settled(queue) == 3);
  queue.of.no_room_for_dead_letters(queue.now);
  const auto blocked = queue.now;
  CHECK(queue.next() == delivery_step::rest);
  CHECK(queue.rest() == 300s);
  CHECK(queue.of.state() == delivery_state::blocked);
  CHECK(queue.of.cause() == "no room for dead letters");
  // One more rejection asks the store again.
  queue.send(verdict_kind::rejected);
  CHECK(queue.of.ending() == settlement::dead_letter);
  CHECK(queue.of.state() == delivery_state::blocked);
  CHECK(queue.of.since() == blocked);
  queue.settled(settlement::dead_letter, {"run-2", 1, false});
  CHECK(queue.of.state() == delivery_state::flowing);
}

TEST_CASE(
  "delivery: a queue whose last element was buried is at rest no more") {
  queue_of_one queue{plain, {"run-1", 1, false}};
  CHECK(rejections_until_settled(queue) == 3);
  queue.of.nothing_owed(queue.now);
  CHECK(queue.of.state() == delivery_state::flowing);
  CHECK(queue.of.cause().empty());
  CHECK(queue.of.attempts() == 0);
  CHECK(queue.of.last_error() == "rejected");
}

TEST_CASE("delivery: what is too big is split at once") {
  queue_of_one queue{plain, {"run-1", 2, false}};
  queue.send(verdict_kind::too_big);
  CHECK(queue.of.ending() == settlement::split);
  CHECK(queue.of.cause() == "too_big");
  queue.settled(settlement::split, {"run-2", 1, false});
  CHECK(queue.next() == delivery_step::send);
}

TEST_CASE("delivery: a lone element that is too big is given up at once") {
  queue_of_one buried{plain, {"run-1", 1, false}};
  buried.send(verdict_kind::too_big);
  CHECK(buried.of.ending() == settlement::dead_letter);
  queue_of_one blocked{changed(false, false), {"run-1", 1, false}};
  blocked.send(verdict_kind::too_big);
  CHECK(blocked.next() == delivery_step::rest);
  CHECK(blocked.of.state() == delivery_state::blocked);
  CHECK(blocked.rest() == 300s);
}

TEST_CASE("delivery: a hang counts when a ping shows the bridge alive") {
  queue_of_one queue;
  for (int i = 0; i < 4; ++i) {
    queue.hang(true);
    CHECK(queue.next() == delivery_step::send);
  }
  queue.hang(true);
  CHECK(queue.next() == delivery_step::settle);
  CHECK(queue.of.ending() == settlement::bisected);
  CHECK(queue.of.cause() == "no_verdict_hang");
}

TEST_CASE("delivery: no number of hangs of a dead bridge counts") {
  queue_of_one queue{plain, {"run-1", 1, true}};
  for (int i = 0; i < 1'000; ++i) {
    queue.hang(false);
    CHECK(queue.next() == delivery_step::send);
  }
}

TEST_CASE("delivery: a hang is proved after the pause, not in it") {
  queue_of_one queue;
  queue.send(verdict_kind::no_verdict_hang);
  CHECK(queue.next() == delivery_step::rest);
  CHECK(queue.rest() == 1s);
  queue.of.bridge_alive(queue.now);
  CHECK(queue.next() == delivery_step::prove_alive);
}

TEST_CASE("delivery: a hang followed by a refusal needs no proof") {
  queue_of_one queue;
  queue.hang(true);
  queue.send(verdict_kind::no_verdict_hang);
  // The proof did not come about; the next answer is a plain refusal.
  queue.wait_until_ready();
  queue.of.answered(answer(verdict_kind::transient), queue.now, queue.now, 0);
  queue.wait_until_ready();
  CHECK(queue.next() == delivery_step::send);
}

TEST_CASE("delivery: inside a suspect stretch one proven hang is enough") {
  queue_of_one queue{plain, {"run-1", 3, true}};
  queue.hang(true);
  CHECK(queue.of.ending() == settlement::bisected);
}

TEST_CASE("delivery: a lone element that hangs a live bridge is given up") {
  queue_of_one buried{plain, {"run-1", 1, true}};
  queue_of_one blocked{changed(false, false), {"run-1", 1, true}};
  for (auto* queue : {&buried, &blocked}) {
    for (int i = 0; i < 4; ++i) {
      queue->hang(true);
      CHECK(queue->next() == delivery_step::send);
    }
    queue->hang(true);
  }
  CHECK(buried.of.ending() == settlement::dead_letter);
  CHECK(blocked.next() == delivery_step::rest);
  CHECK(blocked.of.state() == delivery_state::blocked);
  CHECK(blocked.rest() == 300s);
}

TEST_CASE("delivery: hangs and rejections are counted apart") {
  queue_of_one queue;
  queue.send(verdict_kind::rejected);
  queue.send(verdict_kind::rejected);
  for (int i = 0; i < 4; ++i)
    queue.hang(true);
  CHECK(queue.next() == delivery_step::send);
  queue.send(verdict_kind::rejected);
  CHECK(queue.of.ending() == settlement::bisected);
}

TEST_CASE("delivery: a proof that comes when nothing is pinned is nothing") {
  queue_of_one queue;
  queue.send(verdict_kind::no_verdict_hang);
  queue.of.nothing_owed(queue.now);
  queue.of.proved(true, queue.now);
  CHECK(queue.next() == delivery_step::nothing);
}
