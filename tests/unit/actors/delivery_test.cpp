#include "actors/probes.hpp"
#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using times = std::vector<int64_t>;

const std::string irc = "http://irc";

std::string text_of(const sent_request& sent) {
  return std::string{sent.request.body.view()};
}

/// Answers 503 `refusals` times and then 200.
std::function<scripted_reply(const http_request&)> refusing(size_t refusals) {
  return [refusals](const http_request&) mutable {
    if (refusals == 0)
      return status(200);
    --refusals;
    return status(503);
  };
}

/// The same answer to each try of a transaction, but never after it was taken.
class moody_bridges {
public:
  explicit moody_bridges(uint64_t seed) : random_{seed} {
  }

  scripted_reply operator()(const http_request& request) {
    auto reply = pick();
    reply.after = milliseconds{random_() % 40};
    if (request.method == "PUT" && reply.answer.status == 200)
      taken(request);
    return reply;
  }

  std::map<std::string, std::string> accepted; ///< Bodies by bridge, in order.
  std::set<std::string> accepted_ids;
  std::map<std::string, std::string> body_of_id;
  size_t repeats = 0; ///< Of ids that had been accepted.

private:
  scripted_reply pick() {
    switch (random_() % 8) {
    case 0: return status(503);
    case 1: return status(429, {{"Retry-After", "2"}});
    case 2: return failure(no_answer::reset);
    case 3: return status(500);
    case 4: return failure(no_answer::refused);
    default: return status(200);
    }
  }

  void taken(const http_request& request) {
    const auto id = request.peer.url + txn_of(request);
    repeats += accepted_ids.insert(id).second ? 0 : 1;
    accepted[request.peer.url] += std::string{request.body.view()};
  }

  std::mt19937_64 random_;
};

/// Gives nothing up, however often the bridge hangs.
queue_settings patient(const std::string& name) {
  auto result = bridge(name);
  result.limits.poison.hangs = 1'000;
  return result;
}

/// The events of `body`, by the numbers in their ids.
std::vector<std::string> event_ids(const std::string& body) {
  std::vector<std::string> ids;
  for (size_t at = body.find("\"$"); at != std::string::npos;
       at = body.find("\"$", at + 1))
    ids.push_back(body.substr(at + 2, body.find('"', at + 1) - at - 2));
  return ids;
}

} // namespace

TEST_CASE("actors: an offered transaction is stored, delivered, acknowledged") {
  actor_fixture fixture;
  fixture.start();
  const auto offered = fixture.offer("irc", "1", 3);
  fixture.run();
  REQUIRE(offered->answer);
  REQUIRE(offered->answer->has_value());
  CHECK(offered->answer->value().elements == 3);
  const auto sent = fixture.network.sent_to(irc);
  REQUIRE(sent.size() == 1);
  CHECK(event_ids(text_of(sent[0]))
        == std::vector<std::string>{"1-0", "1-1", "1-2"});
  const auto row = fixture.row("irc");
  CHECK_FALSE(row.pinned);
  CHECK(row.owed_events == 0);
  CHECK(row.delivered_events == 3);
}

TEST_CASE("actors: a refused transaction goes again exactly when it may") {
  actor_fixture fixture;
  fixture.network.script = refusing(4);
  fixture.start();
  (void)fixture.offer("irc", "1", 2);
  fixture.advance(minutes{1});
  CHECK(fixture.network.times_to(irc) == times{0, 1'000, 3'000, 7'000, 15'000});
  const auto sent = fixture.network.sent_to(irc);
  for (const auto& each : sent) {
    CHECK(each.request.target == sent[0].request.target);
    CHECK(each.request.body == sent[0].request.body);
  }
  CHECK(fixture.row("irc").delivered_events == 2);
}

TEST_CASE("actors: a bridge that shows that it is there is not kept waiting") {
  actor_fixture fixture;
  fixture.network.script = refusing(3);
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{4}); // Next at 7 s.
  fixture.alive("irc");
  fixture.run();
  CHECK(fixture.network.times_to(irc) == times{0, 1'000, 3'000, 4'000});
}

TEST_CASE("actors: a pause that a ping ended is over after a restart too") {
  actor_fixture fixture;
  size_t refusals = 5;
  fixture.network.script = [&](const http_request&) {
    return refusals-- > 0 ? status(503) : silence();
  };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{16}); // Refused at 15 s: 16 s of pause are stored.
  REQUIRE(fixture.row("irc").paused_by == pause_cause::own);
  SUBCASE("of the house") {
    fixture.alive("irc");
    fixture.run();
    CHECK(fixture.row("irc").paused_by == pause_cause::none);
    fixture.stop();
    fixture.start();
  }
  SUBCASE("of the queue, in whose load the ping falls") {
    fixture.kill("directory");
    fixture.run();
    fixture.alive("irc");
  }
  SUBCASE("of the house, which had no actor of the queue yet") {
    fixture.stop();
    fixture.database.set_away(true);
    fixture.start();
    fixture.alive("irc");
    fixture.run();
    fixture.database.set_away(false);
  }
  fixture.network.script = [](const http_request&) { return status(200); };
  fixture.advance(seconds{3});
  const auto sends = fixture.network.times_to(irc);
  CHECK(sends.size() >= 6);
  CHECK(sends.back() >= 16'000);
  CHECK(sends.back() < 19'000);
  CHECK(fixture.row("irc").paused_by == pause_cause::none);
}

TEST_CASE("actors: Retry-After is obeyed to the millisecond") {
  actor_fixture fixture;
  size_t refusals = 1;
  fixture.network.script = [&](const http_request&) {
    return refusals-- > 0 ? status(429, {{"Retry-After", "90"}}) : status(200);
  };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{40});
  SUBCASE("by an actor that stays") {
    fixture.alive("irc"); // Ends only our own back-off.
  }
  SUBCASE("by the next house, which a ping meets before the pause is loaded") {
    fixture.stop();
    fixture.start();
    fixture.alive("irc");
  }
  SUBCASE("by the next actor of the queue") {
    fixture.kill("directory"); // Its queues end with it.
  }
  SUBCASE("by the next house on the same store") {
    fixture.stop();
    fixture.advance(seconds{10});
    fixture.start();
  }
  SUBCASE("through a writer that is restarted") {
    fixture.kill("store_writer");
  }
  fixture.advance(minutes{2});
  CHECK(fixture.network.times_to(irc) == times{0, 90'000});
  CHECK(fixture.row("irc").delivered_events == 1);
}

TEST_CASE("actors: a queue that is woken while busy loses nothing") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) {
    auto reply = status(200);
    reply.after = milliseconds{10};
    return reply;
  };
  fixture.start();
  for (int i = 0; i < 50; ++i) {
    (void)fixture.offer("irc", std::to_string(i));
    fixture.advance(milliseconds{3});
  }
  fixture.advance(seconds{1});
  std::vector<std::string> got;
  for (const auto& each : fixture.network.sent_to(irc))
    for (auto& id : event_ids(text_of(each)))
      got.push_back(id);
  std::vector<std::string> wanted;
  for (int i = 0; i < 50; ++i)
    wanted.push_back(std::to_string(i) + "-0");
  CHECK(got == wanted);
  CHECK(fixture.network.open_most() == 1);
}

TEST_CASE(
  "actors: one request in flight, in order, once, in any interleaving") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    moody_bridges bridges{seed};
    actor_fixture fixture{{patient("a"), patient("b")}};
    fixture.network.script = std::ref(bridges);
    fixture.shuffle(seed);
    fixture.start();
    std::map<std::string, std::vector<std::string>> wanted;
    for (int i = 0; i < 12; ++i) {
      const std::string to = i % 2 == 0 ? "a" : "b";
      (void)fixture.offer(to, std::to_string(i));
      wanted["http://" + to].push_back(std::to_string(i) + "-0");
      if (i % 3 == 0)
        fixture.alive(to);
      fixture.advance(milliseconds{seed % 5 * 7}); // Some offers at one moment.
    }
    fixture.advance(minutes{60});
    CHECK(fixture.network.open_most() == 1);
    CHECK(bridges.repeats == 0);
    for (const auto& [url, ids] : wanted)
      CHECK(event_ids(bridges.accepted[url]) == ids);
    std::map<std::string, std::string> bodies;
    for (const auto& each : fixture.network.all())
      if (each.request.method == "PUT")
        CHECK(bodies
                .try_emplace(each.request.peer.url + each.request.target,
                             text_of(each))
                .first->second
              == text_of(each));
  }
}

TEST_CASE("actors: nothing is sent before a request given up is closed") {
  actor_fixture fixture;
  fixture.network.closes_on_abort = false;
  fixture.network.script = [](const http_request&) { return silence(); };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(seconds{169});
  CHECK(fixture.network.aborts() == 0); // 10 + 120 + 30 s, and 10 s more.
  fixture.advance(seconds{16});
  CHECK(fixture.network.aborts() == 1);
  CHECK(fixture.network.times_to(irc) == times{0});
  fixture.network.script = [](const http_request&) { return status(200); };
  fixture.network.close_aborted();
  fixture.advance(seconds{60});
  CHECK(fixture.network.times_to(irc) == times{0, 186'000});
  CHECK(fixture.network.open_most() == 1);
}

TEST_CASE("actors: a connection that never closes lets no second one open") {
  actor_fixture fixture;
  fixture.network.closes_on_abort = false;
  fixture.network.script = [](const http_request&) { return silence(); };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(minutes{20});
  CHECK(fixture.network.times_to(irc) == times{0});
  fixture.network.script = [](const http_request&) { return status(200); };
  fixture.network.close_aborted();
  fixture.advance(minutes{10});
  CHECK(fixture.network.open_most() == 1);
  CHECK(fixture.row("irc").delivered_events == 1);
}

TEST_CASE(
  "actors: a hundred hanging bridges change nothing for a healthy one") {
  const auto told = [](size_t hanging) {
    std::vector<queue_settings> all{bridge("irc")};
    for (size_t i = 0; i < hanging; ++i)
      all.push_back(bridge("silent" + std::to_string(i)));
    actor_fixture fixture{all};
    fixture.network.script = [](const http_request& request) {
      if (request.peer.url != irc)
        return silence();
      auto reply = status(200);
      reply.after = milliseconds{25};
      return reply;
    };
    fixture.start();
    std::string story;
    for (int i = 0; i < 30; ++i) {
      for (const auto& to : all)
        (void)fixture.offer(to.id.value, std::to_string(i));
      fixture.advance(seconds{i % 4});
    }
    fixture.advance(minutes{5});
    for (const auto& each : fixture.network.sent_to(irc))
      story += std::to_string(each.at.count()) + each.request.target + "\n";
    const auto tables = fixture.database.copy();
    for (const auto& [at, row] : tables->outcomes)
      if (row.queue == "appservice/irc")
        story += row.subject + " " + std::to_string(row.at.ms) + "\n";
    CHECK(fixture.row("irc").delivered_events == 30);
    return story;
  };
  const auto alone = told(0);
  CHECK(alone.size() > 30);
  CHECK(told(100) == alone);
}

TEST_CASE("actors: of a thousand events one bad one costs itself") {
  auto of = bridge("irc");
  const auto is_bad = [](const http_request& request) {
    return request.body.view().find("\"$1-500\"") != std::string_view::npos;
  };
  bool mended = false;
  const auto run = [&](actor_fixture& fixture) {
    fixture.network.script = [&](const http_request& request) {
      return is_bad(request) && !mended ? status(400) : status(200);
    };
    fixture.start();
    (void)fixture.offer("irc", "1", 1'000);
    fixture.advance(minutes{120});
  };
  SUBCASE("with dead_letter") {
    actor_fixture fixture{{of}};
    run(fixture);
    CHECK(fixture.row("irc").delivered_events == 999);
    CHECK(fixture.row("irc").owed_events == 0);
    const auto letters = fixture.database.copy()->letters;
    REQUIRE(letters.size() == 1);
    CHECK(letters.begin()->second.item.event_id == "$1-500");
  }
  SUBCASE("with block nothing passes it until the bridge is mended") {
    of.limits.dead_letter = false;
    actor_fixture fixture{{of}};
    run(fixture);
    CHECK(fixture.row("irc").delivered_events == 500);
    CHECK(fixture.database.copy()->letters.empty());
    REQUIRE(fixture.status_row("irc"));
    CHECK(fixture.status_row("irc")->state == "blocked");
    mended = true;
    fixture.advance(minutes{10});
    CHECK(fixture.row("irc").delivered_events == 1'000);
  }
}

TEST_CASE("actors: mailboxes are counted down to nothing") {
  {
    actor_fixture fixture;
    fixture.network.script = refusing(3);
    fixture.start();
    for (int i = 0; i < 20; ++i)
      (void)fixture.offer("irc", std::to_string(i));
    fixture.advance(minutes{1});
    process_probes().each([](const std::string& kind, const actor_probe& of) {
      CAPTURE(kind);
      CHECK(of.waiting == 0);
      CHECK((of.live > 0) == (kind != "appservice_queue"));
    });
  }
  process_probes().each([](const std::string& kind, const actor_probe& of) {
    CAPTURE(kind);
    CHECK(of.waiting == 0);
    CHECK(of.live == 0);
  });
}
