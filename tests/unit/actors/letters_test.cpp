#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include "actors/interfaces.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

const std::string irc = "http://irc";

/// A house whose bridge has rejected one event for good.
struct with_a_letter {
  actor_fixture fixture;

  with_a_letter() {
    fixture.network.script = [](const http_request&) { return status(400); };
    fixture.start();
    fixture.offer("irc", "bad");
    fixture.advance(std::chrono::minutes{5});
    REQUIRE(kept() == 1);
  }
  size_t kept() {
    return fixture.database.copy()->letters.size();
  }
  template <class Ask, class Request>
  asked_ptr<expected<kept_changed>> ask(Request request) {
    auto into = std::make_shared<asked<expected<kept_changed>>>();
    fixture.as_actor([this, into, request](caf::event_based_actor& self) {
      self.send(fixture.house().gateway,
                Ask{request, {[into](expected<kept_changed> done) {
                      ++into->answers;
                      into->answer = std::move(done);
                    }}});
    });
    fixture.run();
    return into;
  }
  asked_ptr<expected<kept_changed>> replay() {
    return ask<ask_replay>(
      replay_letters{{"irc"}, {}, bridge("irc").bounds, "admin", {}});
  }
};

} // namespace

TEST_CASE("actors: a letter that is put back is sent at once") {
  with_a_letter on;
  on.fixture.network.script = [](const http_request&) { return status(200); };
  const auto before = on.fixture.network.sent_to(irc).size();
  const auto told = on.replay();
  REQUIRE(told->answers == 1);
  CHECK(told->answer->value().done == 1);
  CHECK(on.kept() == 0);
  CHECK(on.fixture.network.sent_to(irc).size() == before + 1);
  CHECK(on.fixture.row("irc").owed_events == 0);
}

TEST_CASE("actors: a letter that is rejected again is a letter again") {
  with_a_letter on;
  CHECK(on.replay()->answer->value().done == 1);
  on.fixture.advance(std::chrono::minutes{5});
  CHECK(on.kept() == 1);
  CHECK(on.fixture.row("irc").owed_events == 0);
}

TEST_CASE("actors: of two operators who put back one letter one does") {
  with_a_letter on;
  on.fixture.network.script
    = [](const http_request&) { return failure(no_answer::refused); };
  auto first = std::make_shared<uint64_t>(0);
  on.fixture.as_actor([&](caf::event_based_actor& self) {
    for (int each = 0; each < 2; ++each)
      self.send(on.fixture.house().gateway,
                ask_replay{{{"irc"}, {}, bridge("irc").bounds, "admin", {}},
                           {[first](const expected<kept_changed>& done) {
                             *first += done.value().done;
                           }}});
  });
  on.fixture.run();
  CHECK(*first == 1);
  CHECK(on.fixture.row("irc").owed_events == 1);
}

TEST_CASE("actors: with the store away a letter stays, and the asker is told") {
  with_a_letter on;
  on.fixture.database.set_away(true);
  auto told = on.replay();
  on.fixture.advance(std::chrono::minutes{1});
  REQUIRE(told->answers == 1);
  CHECK(!told->answer->has_value());
  on.fixture.database.set_away(false);
  on.fixture.advance(std::chrono::minutes{1});
  CHECK(on.kept() == 1);
}

TEST_CASE("actors: a paused queue takes letters back and sends nothing") {
  with_a_letter on;
  on.fixture.network.script = [](const http_request&) { return status(200); };
  on.fixture.command({{"irc"}, queue_verb::pause, "ada", {}, {}, false});
  on.fixture.run();
  const auto before = on.fixture.network.sent_to(irc).size();
  CHECK(on.replay()->answer->value().done == 1);
  on.fixture.advance(std::chrono::minutes{1});
  CHECK(on.fixture.network.sent_to(irc).size() == before);
  on.fixture.command({{"irc"}, queue_verb::resume, "ada", {}, {}, false});
  on.fixture.run();
  CHECK(on.fixture.network.sent_to(irc).size() == before + 1);
}

TEST_CASE("actors: a quarantined body is read, dropped and read no more") {
  with_a_letter on;
  on.fixture.quarantine("irc", "no");
  on.fixture.run();
  const auto bodies = [&] {
    size_t found = 0;
    on.fixture.as_actor([&](caf::event_based_actor& self) {
      self.send(on.fixture.house().gateway,
                ask_quarantine{{}, {[&](const expected<quarantine_page>& page) {
                                 found = page.value().bodies.size();
                               }}});
    });
    on.fixture.run();
    return found;
  };
  CHECK(bodies() == 1);
  const auto told
    = on.ask<ask_drop_quarantined>(drop_quarantined{{"irc"}, {}, "ada", {}});
  CHECK(told->answer->value().done == 1);
  CHECK(bodies() == 0);
}

TEST_CASE("actors: a dropped letter is not sent") {
  with_a_letter on;
  const auto before = on.fixture.network.sent_to(irc).size();
  CHECK(on.ask<ask_drop>(drop_letters{{"irc"}, {}, "admin", {}})
          ->answer->value()
          .done
        == 1);
  on.fixture.advance(std::chrono::minutes{1});
  CHECK(on.kept() == 0);
  CHECK(on.fixture.network.sent_to(irc).size() == before);
}
