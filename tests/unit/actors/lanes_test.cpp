#include "tests/support/actors/actor_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const std::string irc = "http://irc";

std::string typing(int n) {
  return R"({"type":"m.typing","room_id":"!a","n":)" + std::to_string(n) + "}";
}

std::string odd(int n) {
  return R"({"n":)" + std::to_string(n) + "}";
}

std::string ephemeral(const std::string& items) {
  return R"({"ephemeral":[)" + items + "]}";
}

/// A bridge that is away until it is told to be there.
struct away_and_back {
  actor_fixture fixture;

  explicit away_and_back(queue_settings of = bridge("irc")) : fixture{{of}} {
    fixture.network.script
      = [](const http_request&) { return failure(no_answer::refused); };
    fixture.start();
    fixture.offer("irc", "first");
    fixture.run();
  }
  void offer(const std::string& txn, const std::string& body) {
    fixture.offer_body("irc", txn, body);
    fixture.run();
  }
  /// What is sent when it is back, without the first.
  std::vector<std::string> back() {
    fixture.network.script = [](const http_request&) { return status(200); };
    const auto before = fixture.network.sent_to(irc).size();
    fixture.alive("irc");
    fixture.run();
    std::vector<std::string> bodies;
    const auto sent = fixture.network.sent_to(irc);
    for (size_t i = before + 1; i < sent.size(); ++i)
      bodies.emplace_back(sent[i].request.body.view());
    return bodies;
  }
};

using bodies = std::vector<std::string>;

} // namespace

TEST_CASE("actors: what waited too long is not sent after an outage") {
  away_and_back on;
  on.offer("1", ephemeral(typing(1) + "," + odd(1)));
  on.fixture.advance(seconds{25});
  on.offer("2", ephemeral(R"({"type":"m.typing","room_id":"!b"})"));
  on.fixture.advance(seconds{10});
  CHECK(on.back()
        == bodies{R"({"events":[],"ephemeral":[)" + odd(1)
                  + R"(,{"type":"m.typing","room_id":"!b"}]})"});
  CHECK(on.fixture.row("irc").dropped == 1);
}

TEST_CASE("actors: the janitor forgets what waits for a bridge that is away") {
  auto of = bridge("irc");
  of.bounds.lanes.ephemeral_age = minutes{30};
  away_and_back on{of};
  on.offer("1", ephemeral(typing(1) + "," + odd(1)));
  on.fixture.advance(minutes{2});
  CHECK(on.fixture.row("irc").waiting == 1);
  on.fixture.advance(minutes{30});
  CHECK(on.fixture.row("irc").waiting == 0);
  CHECK(on.fixture.row("irc").dropped == 2);
  CHECK(on.back().empty());
}

TEST_CASE("actors: a restart keeps what waits and what was merged") {
  away_and_back on;
  on.offer("1", R"({"device_lists":{"changed":["@a"]}})");
  on.offer("2", ephemeral(odd(1)));
  on.fixture.stop();
  on.fixture.start();
  on.offer("3", R"({"device_lists":{"left":["@a"]}})");
  CHECK(on.back()
        == bodies{R"({"events":[],"ephemeral":[)" + odd(1)
                  + R"(],"device_lists":{"changed":[],"left":["@a"]}})"});
}

TEST_CASE("actors: an idle bridge gets a notice at once") {
  actor_fixture fixture;
  fixture.start();
  fixture.offer_body("irc", "1", ephemeral(typing(1)));
  fixture.run();
  CHECK(fixture.network.sent_to(irc).size() == 1);
  CHECK(fixture.row("irc").waiting == 0);
}
