#include "tests/trace/scenes.hpp"

#include "tests/support/actors/actor_fixture.hpp"
#include "tests/trace/recording.hpp"

namespace weir::test {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

bool is_transaction(const http_request& request) {
  return request.method == "PUT";
}

bool holds(const http_request& request, const std::string& text) {
  return request.body.view().find(text) != std::string_view::npos;
}

/// Away, then overloaded with a time to wait, then there.
void outage_and_recovery() {
  actor_fixture fixture;
  size_t sends = 0;
  fixture.network.script = [&](const http_request&) {
    ++sends;
    if (sends <= 4)
      return failure(no_answer::refused);
    if (sends == 5)
      return status(429, {{"Retry-After", "30"}});
    return status(200);
  };
  fixture.start();
  (void)fixture.offer("irc", "1", 2);
  fixture.advance(seconds{2});
  (void)fixture.offer("irc", "2", 2);
  fixture.advance(seconds{4});
  fixture.alive("irc");
  fixture.advance(minutes{2});
  fixture.stop();
}

/// The bridge has taken it, and the process ends before that is committed: the
/// next one sends the same bytes under the same id.
void crash_before_commit() {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) {
    auto reply = status(200);
    reply.after = milliseconds{20};
    return reply;
  };
  fixture.start();
  (void)fixture.offer("irc", "1", 3);
  fixture.run();
  fixture.move_clock(milliseconds{20});
  fixture.step(); // The transport hears of the answer,
  fixture.step(); // the queue asks for the commit, and there it ends.
  fixture.stop();
  fixture.start();
  fixture.advance(seconds{1});
  fixture.stop();
}

/// One event of eight is rejected whenever it is there.
void poison_bisect() {
  actor_fixture fixture;
  fixture.network.script = [](const http_request& request) {
    return status(is_transaction(request) && holds(request, "\"$1-5\"") ? 400
                                                                        : 200);
  };
  fixture.start();
  (void)fixture.offer("irc", "1", 8);
  fixture.advance(minutes{10});
  (void)fixture.offer("irc", "2", 1);
  fixture.advance(seconds{1});
  fixture.stop();
}

/// The bridge takes two events at once and no more.
void split_413() {
  actor_fixture fixture;
  fixture.network.script = [](const http_request& request) {
    const bool big = holds(request, "-2\"")
      && (holds(request, "-0\"") || holds(request, "-4\""));
    return status(is_transaction(request) && big ? 413 : 200);
  };
  fixture.start();
  (void)fixture.offer("irc", "1", 8);
  fixture.advance(minutes{5});
  fixture.stop();
}

/// It answers pings, and hangs on one transaction until its time is over.
void hanging_bridge() {
  auto slow = bridge("irc");
  slow.limits.poison.hangs = 2;
  slow.deadlines.answer = milliseconds{30'000};
  actor_fixture fixture{{slow}};
  fixture.network.script = [](const http_request& request) {
    if (!is_transaction(request) || !holds(request, "\"$1-1\""))
      return status(200);
    auto reply = failure(no_answer::answer_timeout);
    reply.after = milliseconds{30'000};
    return reply;
  };
  fixture.start();
  (void)fixture.offer("irc", "1", 3);
  fixture.advance(minutes{15});
  fixture.stop();
}

/// A stop while one is in flight and more is owed.
void drain() {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) {
    auto reply = status(200);
    reply.after = seconds{2};
    return reply;
  };
  fixture.start();
  (void)fixture.offer("irc", "1", 2);
  fixture.run();
  (void)fixture.offer("irc", "2", 2);
  fixture.advance(seconds{1});
  (void)fixture.drain();
  fixture.advance(seconds{10});
  fixture.stop();
}

/// The store cannot be opened for a while: the gateway holds what it is
/// offered, and gives one back whose time is over.
void store_away() {
  actor_fixture fixture;
  const auto open = fixture.config.open_store;
  bool away = true;
  fixture.config.open_store = [&]() -> expected<std::unique_ptr<store>> {
    if (away)
      return fail(ec::unavailable, "away");
    return open();
  };
  fixture.start();
  (void)fixture.offer("irc", "1", 1, seconds{3});
  (void)fixture.offer("irc", "2", 1, seconds{45});
  fixture.advance(seconds{5});
  away = false;
  fixture.advance(seconds{5});
  fixture.stop();
}

/// Nothing to do for long: the queue asks to leave, and is made anew later.
void idle_and_back() {
  actor_fixture fixture;
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(minutes{1});
  (void)fixture.offer("irc", "2");
  fixture.advance(seconds{1});
  fixture.stop();
}

/// An operator pauses, resumes, tries, and skips what hangs in a send.
void operator_at_work() {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return status(503); };
  fixture.start();
  (void)fixture.offer("irc", "1", 2);
  fixture.advance(seconds{1});
  (void)fixture.command({{"irc"}, queue_verb::pause, "ada", "why", {}, false});
  (void)fixture.offer("irc", "2");
  fixture.advance(minutes{1});
  (void)fixture.command({{"irc"}, queue_verb::resume, "ada", {}, {}, false});
  fixture.run();
  fixture.network.script = [](const http_request&) { return silence(); };
  (void)fixture.command({{"irc"}, queue_verb::retry, "ada", {}, {}, true});
  fixture.run();
  const auto pinned = fixture.row("irc").pinned->id;
  (void)fixture.command({{"irc"}, queue_verb::skip, "ada", {}, pinned, false});
  fixture.advance(seconds{8});
  fixture.stop();
}

/// One event is rejected for good; the bridge is mended and goes away, and what
/// was rejected is put back behind what it is owed.
void letter_comes_back() {
  actor_fixture fixture;
  fixture.network.script = [](const http_request& request) {
    return status(holds(request, "\"$1-0\"") ? 422 : 200);
  };
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.advance(minutes{2});
  fixture.network.script = [](const http_request&) { return status(503); };
  (void)fixture.offer("irc", "2");
  fixture.advance(seconds{1});
  (void)fixture.replay("irc");
  fixture.run();
  fixture.network.script = [](const http_request&) { return status(200); };
  fixture.advance(minutes{1});
  fixture.stop();
}

} // namespace

const std::vector<scene>& all_scenes() {
  static const std::vector<scene> scenes{
    {"outage_and_recovery", {"appservice/irc"}, outage_and_recovery},
    {"crash_before_commit", {"appservice/irc"}, crash_before_commit},
    {"poison_bisect", {"appservice/irc"}, poison_bisect},
    {"split_413", {"appservice/irc"}, split_413},
    {"hanging_bridge", {"appservice/irc"}, hanging_bridge},
    {"drain", {"appservice/irc", "directory", "transport"}, drain},
    {"store_away", {"gateway", "store_writer/1"}, store_away},
    {"idle_and_back", {"appservice/irc", "directory"}, idle_and_back},
    {"operator_at_work",
     {"appservice/irc", "directory", "gateway"},
     operator_at_work},
    {"letter_comes_back",
     {"appservice/irc", "gateway", "store_writer/1"},
     letter_comes_back},
  };
  return scenes;
}

std::string record(const scene& of) {
  recording trace{{.actors = of.actors}};
  of.play();
  return trace.text();
}

} // namespace weir::test
