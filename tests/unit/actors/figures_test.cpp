#include "actors/bridge_board.hpp"
#include "actors/store_probe.hpp"
#include "tests/support/actors/actor_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

store_figures figures_of(actor_fixture& fixture) {
  const auto asked = fixture.figures();
  fixture.run();
  REQUIRE(asked->answer);
  REQUIRE(*asked->answer);
  return asked->answer->value();
}

const appservice_id irc{"irc"};

/// A house with a board whose bridge answers nothing.
struct silent_bridge {
  actor_fixture fixture;
  std::shared_ptr<bridge_board> board
    = std::make_shared<bridge_board>(std::vector{irc});

  silent_bridge() {
    fixture.settings.board = board;
    fixture.network.script = [](const http_request&) { return silence(); };
    fixture.start();
  }
};

} // namespace

TEST_CASE("figures: a database is asked for its size once in five minutes") {
  actor_fixture fixture;
  fixture.network.script = [](const http_request&) { return status(503); };
  fixture.start();
  const auto at_first = figures_of(fixture).database_bytes;
  CHECK(at_first > 0);
  (void)fixture.offer("irc", "1", 3);
  fixture.advance(limits::database_size_every - seconds{1});
  CHECK(figures_of(fixture).database_bytes == at_first);
  fixture.advance(seconds{1});
  CHECK(figures_of(fixture).database_bytes > at_first);
}

TEST_CASE("figures: what is kept is as it is now") {
  actor_fixture fixture;
  fixture.start();
  CHECK(figures_of(fixture).kept == kept_totals{});
  (void)fixture.quarantine("irc", "{not json");
  fixture.run();
  CHECK(figures_of(fixture).kept == kept_totals{0, 9});
}

TEST_CASE("figures: a store that is away is told as such") {
  actor_fixture fixture;
  fixture.start();
  fixture.database.set_away(true);
  const auto asked = fixture.figures();
  fixture.run();
  REQUIRE(asked->answer);
  REQUIRE_FALSE(*asked->answer);
  CHECK(asked->answer->error().code == ec::unavailable);
}

TEST_CASE("figures: a send is on the board from its start to its end") {
  silent_bridge on;
  CHECK(on.board->sending_since(irc) == instant{});
  on.fixture.advance(seconds{3});
  const auto begun = on.fixture.now();
  (void)on.fixture.offer("irc", "1");
  on.fixture.run();
  CHECK(on.board->sending_since(irc) == begun);
  on.fixture.advance(seconds{2});
  CHECK(on.board->sending_since(irc) == begun);
  on.fixture.network.answer(on.fixture.network.all().back().id,
                            status(200).answer);
  on.fixture.run();
  CHECK(on.board->sending_since(irc) == instant{});
}

TEST_CASE("figures: the send of a queue that ended is not on the board") {
  silent_bridge on;
  (void)on.fixture.offer("irc", "1");
  on.fixture.run();
  REQUIRE(on.board->sending_since(irc) != instant{});
  on.fixture.network.script = [](const http_request&) { return status(503); };
  on.fixture.kill("directory"); // Its queues end with it.
  on.fixture.run();
  CHECK(on.board->sending_since(irc) == instant{});
}

TEST_CASE("figures: nobody who is not on the board is sent anything") {
  bridge_board board{{irc}};
  board.set_sending({"stranger"}, instant{seconds{1}});
  CHECK(board.sending_since({"stranger"}) == instant{});
  CHECK(board.sending_since(irc) == instant{});
}

TEST_CASE("figures: a histogram puts a value at the first bound it is within") {
  histogram_probe<3> sizes{{1.0, 5.0, 10.0}};
  for (const double value : {0.0, 1.0, 1.5, 5.0, 10.0, 10.5, 1e9})
    sizes.observe(value);
  CHECK(sizes.count(0) == 2);
  CHECK(sizes.count(1) == 2);
  CHECK(sizes.count(2) == 1);
  CHECK(sizes.count(3) == 2);
  CHECK(sizes.sum() == doctest::Approx(28.0 + 1e9));
}

TEST_CASE("figures: each commit is counted once, with its rows") {
  actor_fixture fixture;
  fixture.start();
  const auto& probe = process_store_probe();
  const auto total = [](const auto& histogram) {
    uint64_t all = 0;
    for (size_t at = 0; at <= histogram.bounds().size(); ++at)
      all += histogram.count(at);
    return all;
  };
  const auto commits = probe.commits.load();
  const auto timed = total(probe.commit_seconds);
  const auto counted = total(probe.commit_rows);
  const auto rows = probe.rows.load();
  const auto sum = probe.commit_rows.sum();
  (void)fixture.offer("irc", "1", 40);
  fixture.run();
  const auto more = probe.commits - commits;
  CHECK(more >= 2);
  CHECK(total(probe.commit_seconds) - timed == more);
  CHECK(total(probe.commit_rows) - counted == more);
  CHECK(probe.rows - rows > 40);
  CHECK(probe.commit_rows.sum() - sum
        == doctest::Approx(static_cast<double>(probe.rows - rows)));
}
