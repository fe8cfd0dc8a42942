#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

scripted_reply refuse() {
  auto reply = failure(no_answer::refused);
  reply.answer.detail = "Connection refused";
  return reply;
}

queue_status_row told(const actor_fixture& fixture) {
  return fixture.status_row("irc").value();
}

} // namespace

TEST_CASE("story: a queue that is let go and comes back flows since before") {
  actor_fixture fixture;
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{1});
  const auto before = told(fixture);
  CHECK(before.state == "flowing");
  CHECK(before.as_of - before.since <= seconds{1}); // And not since 1970.
  const auto without = fixture.running_actors();
  fixture.advance(minutes{5});
  REQUIRE(fixture.running_actors() == without - 1);
  (void)fixture.offer("irc", "2");
  fixture.advance(seconds{1});
  const auto after = told(fixture);
  CHECK(after.as_of > before.as_of);
  CHECK(after.since == before.since);
}

TEST_CASE(
  "story: a queue that rests does so since before, whatever is killed") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return refuse(); };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(minutes{10});
  const auto before = told(fixture);
  REQUIRE(before.state == "resting");
  CHECK(before.cause == "connect_refused");
  CHECK(before.last_error_text == "Connection refused");
  CHECK(before.as_of - before.since > minutes{5});
  const auto is_as_before = [&] {
    CHECK(told(fixture).state == "resting");
    CHECK(told(fixture).since == before.since);
    CHECK(told(fixture).cause == "connect_refused");
    CHECK(told(fixture).last_error == "connect_refused");
    CHECK(told(fixture).last_error_text == "Connection refused");
  };
  fixture.kill("directory"); // Which is the end of its queues.
  fixture.advance(seconds{2});
  CHECK(told(fixture).as_of > before.as_of);
  is_as_before();
  fixture.kill("store_writer");
  fixture.advance(minutes{10});
  is_as_before();
  fixture.stop(); // The whole process.
  fixture.start();
  fixture.advance(seconds{2});
  CHECK(told(fixture).last_error_at >= before.last_error_at);
  is_as_before();
  fixture.advance(minutes{20}); // Tried again and again meanwhile.
  is_as_before();
}

TEST_CASE("story: a blocked queue stays so over a restart of the process") {
  auto irc = bridge("irc");
  irc.limits.dead_letter = false;
  actor_fixture fixture{{irc}};
  fixture.network.script = [](const http_request&) { return status(400); };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(minutes{30});
  const auto before = told(fixture);
  REQUIRE(before.state == "blocked");
  REQUIRE(before.as_of - before.since > minutes{5});
  fixture.stop();
  fixture.start();
  for (int i = 0; i < 20; ++i) {
    fixture.advance(minutes{1});
    CHECK(told(fixture).state == "blocked");
    CHECK(told(fixture).since == before.since);
    CHECK(told(fixture).cause == "http_400");
  }
  fixture.network.script = [](const http_request&) { return status(200); };
  fixture.advance(minutes{10});
  CHECK(told(fixture).state == "flowing");
  CHECK(told(fixture).since > before.as_of);
  CHECK(told(fixture).last_error == "http_400");
}

TEST_CASE("story: what changed shortly before a drain is told all the same") {
  actor_fixture fixture;
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(minutes{1});
  fixture.network.script = [](const http_request&) {
    auto reply = refuse();
    reply.after = milliseconds{100};
    return reply;
  };
  (void)fixture.offer("irc", "2");
  fixture.advance(milliseconds{50});
  (void)fixture.drain(); // While the send is under way.
  fixture.advance(milliseconds{60});
  CHECK(told(fixture).state == "resting");
  CHECK(told(fixture).cause == "connect_refused");
}

TEST_CASE("story: a drain before anything was loaded tells nothing") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return refuse(); };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(minutes{10});
  const auto before = told(fixture);
  fixture.stop();
  fixture.start();
  fixture.kill("directory");
  fixture.database.set_away(true); // The load is under way and fails.
  (void)fixture.step();
  (void)fixture.drain();
  fixture.database.set_away(false);
  fixture.advance(seconds{5});
  CHECK(told(fixture).since == before.since);
  CHECK(told(fixture).state == "resting");
}
