#include "actors/interfaces.hpp"
#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/actors/planted_fault.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const std::string irc = "http://irc";

/// Answers 200 after a while.
scripted_reply slowly(milliseconds after) {
  auto reply = status(200);
  reply.after = after;
  return reply;
}

std::vector<queue_settings> many(size_t count) {
  std::vector<queue_settings> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(bridge("b" + std::to_string(i)));
  return result;
}

} // namespace

TEST_CASE("queue: an idle one goes, and the next transaction brings another") {
  actor_fixture fixture;
  fixture.start();
  const auto without = fixture.running_actors();
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{20});
  (void)fixture.offer("irc", "2"); // Idle from here on.
  fixture.advance(milliseconds{29'999});
  CHECK(fixture.running_actors() == without + 1);
  fixture.advance(milliseconds{1});
  CHECK(fixture.running_actors() == without);
  (void)fixture.offer("irc", "3");
  fixture.run();
  CHECK(fixture.running_actors() == without + 1);
  CHECK(fixture.row("irc").delivered_events == 3);
}

TEST_CASE("queue: one with only dead letters behind it goes too") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return status(400); };
  fixture.start();
  const auto without = fixture.running_actors();
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{20});
  CHECK(fixture.database.copy()->letters.size() == 1);
  CHECK(fixture.running_actors() == without + 1);
  fixture.advance(minutes{2});
  CHECK(fixture.running_actors() == without);
}

TEST_CASE("queue: a wake that meets its leaving is not lost") {
  // The offer is made after each of the steps from the timer to the end.
  size_t steps = 0;
  bool left_before = false;
  while (!left_before) {
    CAPTURE(steps);
    actor_fixture fixture;
    fixture.start();
    const auto without = fixture.running_actors();
    (void)fixture.offer("irc", "1");
    fixture.advance(milliseconds{29'999});
    REQUIRE(fixture.running_actors() == without + 1);
    fixture.move_clock(milliseconds{1});
    for (size_t i = 0; i < steps; ++i)
      (void)fixture.step();
    left_before = fixture.running_actors() == without;
    (void)fixture.offer("irc", "2");
    fixture.run();
    CHECK(fixture.row("irc").delivered_events == 2);
    CHECK(fixture.running_actors() == without + 1);
    fixture.advance(minutes{2});
    CHECK(fixture.running_actors() == without);
    ++steps;
    REQUIRE(steps < 100);
  }
  CHECK(steps > 5);
}

TEST_CASE("queue: a wake that meets its leaving is not lost in any order") {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    actor_fixture fixture;
    fixture.start();
    const auto without = fixture.running_actors();
    (void)fixture.offer("irc", "1");
    fixture.advance(milliseconds{29'999});
    fixture.shuffle(seed);
    fixture.move_clock(milliseconds{1});
    for (uint64_t i = 0; i < seed % 4; ++i)
      (void)fixture.step();
    (void)fixture.offer("irc", "2");
    fixture.run();
    CHECK(fixture.row("irc").delivered_events == 2);
    fixture.advance(minutes{2});
    CHECK(fixture.running_actors() == without);
  }
}

TEST_CASE("queue: a thousand wakes in a pause arm one timer") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) {
    return status(429, {{"Retry-After", "600"}});
  };
  fixture.start();
  (void)fixture.offer("irc", "0");
  fixture.advance(seconds{1});
  const auto before = fixture.timers();
  for (int i = 1; i <= 1'000; ++i)
    caf::anon_send(fixture.house().directory, wake_queue{{"irc"}, {}});
  fixture.run();
  CHECK(fixture.timers() <= before + 3); // The status may be told once.
  fixture.network.script = [](const http_request&) { return status(200); };
  fixture.advance(seconds{600});
  CHECK(fixture.row("irc").delivered_events == 1);
}

TEST_CASE("directory: it finds at its start what is owed") {
  actor_fixture fixture{many(250)}; // More than a page.
  fixture.network.script = [](const http_request&) { return silence(); };
  fixture.start();
  const auto without = fixture.running_actors();
  for (const auto& queue : fixture.settings.queues)
    (void)fixture.offer(queue.id.value, "1");
  fixture.run();
  fixture.stop();
  fixture.network.script = [](const http_request&) { return status(200); };
  fixture.start();
  fixture.advance(seconds{1});
  for (const auto& queue : fixture.settings.queues)
    CHECK(fixture.row(queue.id.value).delivered_events == 1);
  fixture.advance(minutes{1});
  CHECK(fixture.running_actors() == without);
}

TEST_CASE("directory: one that is restarted goes on with every queue") {
  actor_fixture fixture{many(20)};
  fixture.network.script
    = [](const http_request&) { return slowly(seconds{3}); };
  fixture.start();
  for (const auto& queue : fixture.settings.queues)
    (void)fixture.offer(queue.id.value, "1", 150);
  fixture.advance(seconds{1});
  fixture.kill("directory");
  fixture.advance(seconds{30});
  CHECK(fixture.starts["directory"] == 2);
  CHECK(fixture.network.open_most() == 1);
  for (const auto& queue : fixture.settings.queues)
    CHECK(fixture.row(queue.id.value).delivered_events == 150);
}

TEST_CASE("queue: nothing is sent to a bridge without a url") {
  auto nobody = bridge("nobody");
  nobody.peer.url.clear();
  actor_fixture fixture{{nobody}};
  fixture.start();
  (void)fixture.offer("nobody", "1");
  fixture.advance(minutes{1});
  CHECK(fixture.network.all().empty());
  CHECK(fixture.row("nobody").owed_events == 1);
}

TEST_CASE("drain: it finishes what is in flight and starts nothing") {
  actor_fixture fixture{many(3)};
  fixture.network.script
    = [](const http_request&) { return slowly(seconds{5}); };
  fixture.start();
  for (const auto& queue : fixture.settings.queues)
    (void)fixture.offer(queue.id.value, "1", 150); // Two transactions each.
  fixture.advance(seconds{1});
  const auto drained = fixture.drain();
  const auto again = fixture.drain();
  fixture.advance(milliseconds{3'999});
  CHECK_FALSE(drained->answer);
  fixture.advance(milliseconds{1});
  CHECK(drained->answers == 1);
  CHECK(again->answers == 1);
  (void)fixture.offer("b0", "2");
  fixture.advance(minutes{1});
  CHECK(fixture.network.all().size() == 3);
  for (const auto& queue : fixture.settings.queues)
    CHECK(fixture.row(queue.id.value).delivered_events == 100);
}

TEST_CASE("drain: a queue that ends does not answer for another") {
  actor_fixture fixture{many(2)};
  fixture.network.script = [](const http_request& request) {
    return slowly(request.peer.url == "http://b0" ? seconds{2} : seconds{5});
  };
  fixture.start();
  (void)fixture.offer("b0", "1");
  (void)fixture.offer("b1", "1");
  fixture.advance(seconds{1});
  const auto drained = fixture.drain();
  fixture.run();
  const planted_fault fault{"before_ack_commit", 1};
  fixture.advance(seconds{3});
  CHECK(fault.left() == 0);
  CHECK_FALSE(drained->answer);
  fixture.advance(seconds{1});
  CHECK(drained->answers == 1);
  CHECK(fixture.row("b1").delivered_events == 1);
}

TEST_CASE("drain: it takes its time and no longer") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return silence(); };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.run();
  const auto drained = fixture.drain();
  fixture.advance(milliseconds{19'999});
  CHECK_FALSE(drained->answer);
  fixture.advance(milliseconds{1});
  CHECK(drained->answers == 1);
}

TEST_CASE("queue: its status is told within a second, also by a second try") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return status(503); };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{1});
  REQUIRE(fixture.status_row("irc"));
  CHECK(fixture.status_row("irc")->state == "resting");
  CHECK(fixture.status_row("irc")->cause == "http_503");
  fixture.advance(seconds{40}); // Resting from 31 s to 63 s.
  fixture.network.script = [](const http_request&) { return status(404); };
  fixture.advance(seconds{22});
  fixture.database.set_away(true);
  fixture.advance(seconds{5});
  fixture.database.set_away(false);
  fixture.advance(seconds{2});
  CHECK(fixture.status_row("irc")->cause == "http_404");
}

TEST_CASE(
  "queue: a wake that names what an earlier actor ended sends nothing") {
  actor_fixture fixture;
  fixture.start();
  const auto without = fixture.running_actors();
  (void)fixture.offer("irc", "1");
  fixture.advance(minutes{2});
  REQUIRE(fixture.running_actors() == without); // It was delivered and let go.
  const auto sent = fixture.network.sent_to(irc).size();
  REQUIRE(fixture.row("irc").acked == 1);
  owed_transaction ended;
  ended.id = {"000000000001-1"};
  ended.body = shared_bytes{std::string{"{}"}};
  ended.first_seq = 1;
  ended.last_seq = 1;
  ended.elements = 1;
  // Once to a new actor, and once when that one knows what the store holds.
  for (int i = 0; i < 2; ++i) {
    caf::anon_send(fixture.house().directory, wake_queue{{"irc"}, ended});
    fixture.run();
    CHECK(fixture.network.sent_to(irc).size() == sent);
  }
}

TEST_CASE("queue: a wake of before a removal sends nothing while there is no "
          "row yet") {
  actor_fixture fixture{{bridge("slack")}};
  fixture.start();
  fixture.database.set_disk_full(true);
  fixture.reload({bridge("irc"), bridge("slack")});
  fixture.alive("irc"); // Its queue is there, and has found no row.
  fixture.run();
  owed_transaction ended;
  ended.id = {"0123456789ab-1"};
  ended.body = shared_bytes{std::string{"{}"}};
  ended.first_seq = ended.last_seq = ended.elements = 1;
  caf::anon_send(fixture.house().directory, wake_queue{{"irc"}, ended});
  fixture.run();
  CHECK(fixture.network.sent_to(irc).empty());
}
