#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include "actors/interfaces.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::hours;
using std::chrono::minutes;

/// Two bridges that are away, and a third that comes and goes.
struct with_two : actor_fixture {
  with_two() : actor_fixture{{bridge("irc"), bridge("slack")}} {
    settings.beat_every = hours{24};
    settings.owed_scan_every = hours{24};
    settings.forget_every = hours{1};
    settings.keep_removed = hours{48};
    network.script
      = [](const http_request&) { return failure(no_answer::refused); };
    start();
    offer("irc", "1", 3);
    offer("slack", "1", 3);
    advance(minutes{1});
  }
  memory_tables tables() const {
    return *database.copy();
  }
  size_t owed() const {
    return tables().outbox.size();
  }
  stored_time removed_at(const std::string& id) const {
    const auto all = tables();
    return all.queues.at(all.queue_ids.at(id)).removed_at;
  }
  asked_ptr<expected<removal_done>> remove(const std::string& id) {
    auto into = std::make_shared<asked<expected<removal_done>>>();
    as_actor([this, into, id](caf::event_based_actor& self) {
      self.send(house().gateway,
                ask_removal{{{id}, {}, "ada", {}, {}},
                            {[into](expected<removal_done> done) {
                              ++into->answers;
                              into->answer = std::move(done);
                            }}});
    });
    run();
    return into;
  }
};

} // namespace

TEST_CASE("removed: what is kept of a removed appservice goes in time") {
  with_two on;
  on.reload({bridge("slack")});
  on.advance(hours{2});
  CHECK(on.removed_at("irc") != stored_time{});
  CHECK(on.removed_at("slack") == stored_time{});
  on.advance(hours{45});
  CHECK(on.owed() == 6);
  on.advance(hours{3});
  CHECK(on.owed() == 3);
  CHECK(!on.tables().queue_ids.contains("irc"));
  CHECK(on.tables().queue_ids.contains("slack"));
}

TEST_CASE("removed: one that comes back in time keeps all it is owed") {
  with_two on;
  on.reload({bridge("slack")});
  on.advance(hours{40});
  on.reload({bridge("irc"), bridge("slack")});
  on.advance(hours{40});
  CHECK(on.removed_at("irc") == stored_time{});
  CHECK(on.owed() == 6);
  on.network.script = [](const http_request&) { return status(200); };
  on.advance(hours{1});
  CHECK(on.owed() == 0);
}

TEST_CASE("removed: one that a reload adds is not taken for one that is gone") {
  with_two on;
  on.reload({bridge("irc"), bridge("slack"), bridge("new")});
  on.offer("new", "1");
  on.advance(hours{72});
  CHECK(on.removed_at("new") == stored_time{});
  CHECK(on.owed() == 7);
}

TEST_CASE("removed: the windows of one that a reload adds are bounded, too") {
  with_two on;
  on.reload({bridge("irc"), bridge("slack"), bridge("new")});
  on.offer("new", "1");
  on.run();
  CHECK(on.tables().seen.size() == 7);
  on.advance(hours{30});
  CHECK(on.tables().seen.empty());
}

TEST_CASE("removed: an operator's removal is gone on with by the janitor") {
  with_two on;
  on.reload({bridge("slack")});
  on.run();
  const auto told = on.remove("irc");
  REQUIRE(told->answers == 1);
  CHECK(told->answer->value().result == removal_result::removed);
  CHECK(told->answer->value().more);
  CHECK(!on.tables().removals.begin()->second.done);
  on.advance(hours{2});
  CHECK(on.tables().removals.begin()->second.done);
  CHECK(on.owed() == 3);
}

TEST_CASE("removed: a removal with the store away is told and not done") {
  with_two on;
  on.reload({bridge("slack")});
  on.database.set_away(true);
  const auto told = on.remove("irc");
  on.advance(minutes{2});
  REQUIRE(told->answers == 1);
  CHECK(!told->answer->has_value());
  on.database.set_away(false);
  CHECK(on.tables().removals.empty());
}

TEST_CASE("removed: a send in flight of one that is gone ends without harm") {
  with_two on;
  auto late = status(200);
  late.after = minutes{1};
  on.network.script = [late](const http_request&) { return late; };
  on.alive("irc");
  on.run();
  on.reload({bridge("slack")});
  on.run();
  CHECK(on.remove("irc")->answer->value().result == removal_result::removed);
  on.advance(hours{2});
  CHECK(!on.tables().queue_ids.contains("irc"));
  CHECK(on.give_ups == 0);
}
