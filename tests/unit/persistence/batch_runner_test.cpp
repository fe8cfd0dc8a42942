#include "persistence/batch.hpp"

#include "tests/conformance/stores.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// A runner on a memory database, with one appservice `a` that has a row.
struct rig {
  on_memory where;
  std::unique_ptr<store> db = where.connect();
  batch_runner runner{*db, must(db->take_slot(1, "node", first_run))};

  rig() {
    runner.elapsed_clock = [] { return milliseconds{0}; };
  }
  bool appended(const std::string& id) {
    return must(where.connect_reader()->queue({id})).has_value();
  }
};

asked_batch three_appends() {
  asked_batch batch;
  for (const std::string id : {"a", "b", "c"})
    batch.add("appservice/" + id, append_one(id));
  return batch;
}

} // namespace

TEST_CASE("batch_runner: whichever statement fails, what is told is so") {
  uint64_t statements = 0;
  {
    rig on;
    const auto before = on.where.database.statements();
    auto batch = three_appends();
    must(batch.run(on.runner));
    statements = on.where.database.statements() - before;
  }
  REQUIRE(statements > 10);
  for (const auto code : {ec::rejected, ec::unavailable}) {
    for (uint64_t nth = 1; nth <= statements; ++nth) {
      CAPTURE(nth);
      rig on;
      on.where.database.fail_statement(nth, code);
      auto batch = three_appends();
      static_cast<void>(batch.run(on.runner));
      for (size_t index = 0; index < batch.size(); ++index)
        CHECK(on.appended(std::string(1, static_cast<char>('a' + index)))
              == (batch.told(index) == ec::none));
      CHECK(must(on.db->read_slot(1))->pos == on.runner.lease().pos);
      auto next = three_appends();
      must(next.run(on.runner));
      CHECK(next.told(2) == ec::none);
    }
  }
}

TEST_CASE("batch_runner: a fault that passes is nobody's failure") {
  for (const uint64_t nth : {1U, 2U, 3U, 6U}) {
    rig on;
    on.where.database.fail_statement(nth, ec::unavailable);
    auto batch = three_appends();
    must(batch.run(on.runner));
    for (size_t index = 0; index < batch.size(); ++index)
      CHECK(batch.told(index) == ec::none);
    CHECK(on.runner.lease().pos == 1);
  }
}

TEST_CASE("batch_runner: a connection lost around COMMIT is survived") {
  for (const auto when :
       {connection_loss::before_commit, connection_loss::at_commit_not_stored,
        connection_loss::at_commit_stored, connection_loss::after_commit}) {
    rig on;
    on.where.database.lose_connection(when);
    auto batch = three_appends();
    must(batch.run(on.runner));
    for (size_t index = 0; index < batch.size(); ++index)
      CHECK(batch.told(index) == ec::none);
    CHECK(on.runner.lease().pos == 1);
    must(on.runner.run({}));
    CHECK(on.runner.lease().pos == 2);
  }
}

TEST_CASE("batch_runner: while the database is away all are told so") {
  rig on;
  on.where.database.set_away(true);
  auto batch = three_appends();
  CHECK(code_of(batch.run(on.runner)) == ec::unavailable);
  for (size_t index = 0; index < batch.size(); ++index)
    CHECK(batch.told(index) == ec::unavailable);
  on.where.database.set_away(false);
  auto again = three_appends();
  must(again.run(on.runner));
  CHECK(again.told(0) == ec::none);
  CHECK(on.runner.lease().pos == 1);
}

TEST_CASE("batch_runner: a doubt that outlasts its batch is resolved first") {
  for (const bool stored : {true, false}) {
    CAPTURE(stored);
    rig on;
    auto& database = on.where.database;
    database.lose_connection(stored ? connection_loss::at_commit_stored
                                    : connection_loss::at_commit_not_stored);
    std::vector<bool> doubts;
    on.runner.on_in_doubt = [&](bool was) { doubts.push_back(was); };
    // The database goes together with its answer.
    asked_batch batch;
    batch.add("appservice/a", append_one("a"));
    database.set_away_after_commit();
    CHECK(code_of(batch.run(on.runner)) == ec::unavailable);
    CHECK(batch.told(0) == ec::in_doubt);
    CHECK(doubts.empty());
    auto still_away = three_appends();
    CHECK(code_of(still_away.run(on.runner)) == ec::unavailable);
    CHECK(still_away.told(0) == ec::unavailable);
    database.set_away(false);
    asked_batch next;
    next.add("appservice/b", append_one("b"));
    must(next.run(on.runner));
    CHECK(next.told(0) == ec::none);
    CHECK(doubts == std::vector{stored});
    CHECK(on.appended("a") == stored);
    CHECK(on.runner.lease().pos == (stored ? 2 : 1));
  }
}

TEST_CASE("batch_runner: a doubt after a take-over supersedes") {
  rig on;
  auto& database = on.where.database;
  database.lose_connection(connection_loss::at_commit_stored);
  database.set_away_after_commit();
  auto batch = three_appends();
  CHECK(code_of(batch.run(on.runner)) == ec::unavailable);
  database.set_away(false);
  must(on.where.connect()->take_slot(1, "other", first_run + 1));
  auto next = three_appends();
  CHECK(code_of(next.run(on.runner)) == ec::superseded);
  CHECK(next.told(0) == ec::unavailable);
}

TEST_CASE("batch_runner: an operation that breaks is run in every half") {
  rig on;
  int runs = 0;
  asked_batch batch;
  for (const std::string id : {"a", "b", "c", "d"})
    batch.add(
      "appservice/" + id, [&, id](store&, batch_context&) -> expected<void> {
        ++runs;
        return id == "d" ? expected<void>{fail(ec::corrupt, "on purpose")}
                         : expected<void>{ok()};
      });
  must(batch.run(on.runner));
  // All four, then a and b; c and d, then c; d alone.
  CHECK(runs == 4 + 2 + 2 + 1 + 1);
  CHECK(batch.told(3) == ec::corrupt);
  CHECK(batch.told(2) == ec::none);
}

TEST_CASE("batch_runner: halving ends when the database takes too long") {
  rig on;
  milliseconds elapsed{0};
  on.runner.elapsed_clock = [&] { return elapsed; };
  int runs = 0;
  asked_batch batch;
  for (int index = 0; index < 64; ++index)
    batch.add(std::to_string(index),
              [&](store&, batch_context&) -> expected<void> {
                ++runs;
                elapsed += std::chrono::seconds{5}; // A statement's time-out.
                return fail(ec::unavailable, "lock");
              });
  CHECK(code_of(batch.run(on.runner)) == ec::unavailable);
  CHECK(runs <= 4);
  CHECK(batch.told(0) == ec::unavailable);
  CHECK(batch.told(63) == ec::unavailable);
}

TEST_CASE("batch_runner: time does not go back, and a jump is told once") {
  rig on;
  auto& database = on.where.database;
  milliseconds elapsed{0};
  on.runner.elapsed_clock = [&] { return elapsed; };
  std::vector<milliseconds> jumps;
  on.runner.on_clock_jump = [&](milliseconds by) { jumps.push_back(by); };
  database.set_time(noon);
  const auto now = [&] {
    stored_time seen;
    asked_batch batch;
    batch.add("a", [&](store&, batch_context& context) -> expected<void> {
      seen = context.now;
      return ok();
    });
    must(batch.run(on.runner));
    return seen;
  };
  const auto step = [&](milliseconds database_by, milliseconds elapsed_by) {
    database.advance(database_by);
    elapsed += elapsed_by;
    return now() - noon;
  };
  CHECK(now() == noon);
  CHECK(step(milliseconds{500}, milliseconds{500}) == milliseconds{500});
  // Up to a second is drift: followed forward, waited for backward.
  CHECK(step(milliseconds{1'000}, milliseconds{0}) == milliseconds{1'500});
  CHECK(step(milliseconds{-1'000}, milliseconds{0}) == milliseconds{1'500});
  CHECK(jumps.empty());
  // From here on the database is a second behind what was said.
  CHECK(step(milliseconds{61'001}, milliseconds{59'000})
        == milliseconds{1'500 + 59'000});
  CHECK(jumps == std::vector{milliseconds{1'001}});
  CHECK(step(milliseconds{-5'000}, milliseconds{10})
        == milliseconds{60'500 + 10});
  CHECK(jumps.size() == 2);
  CHECK(must(on.where.connect_reader()->now()) - noon == milliseconds{60'510});
}

TEST_CASE("batch_runner: a reply that is slow to come is no jump") {
  // Each look at our clock comes 5 s after the one before, and the database
  // reads its own somewhere between two: when it is asked, or later.
  for (const bool first_late : {false, true}) {
    CAPTURE(first_late);
    rig on;
    milliseconds elapsed{0};
    bool late = first_late;
    int jumps = 0;
    on.runner.on_clock_jump = [&](milliseconds) { ++jumps; };
    on.where.database.set_clock(
      [&] { return noon + elapsed + milliseconds{late ? 4'999 : 1}; });
    on.runner.elapsed_clock = [&] { return elapsed += milliseconds{5'000}; };
    for (int i = 0; i < 4; ++i) {
      must(on.runner.run({}));
      late = !late;
    }
    CHECK(jumps == 0);
  }
}

TEST_CASE("batch_runner: a fence that was slow to answer is no jump") {
  rig on;
  auto& database = on.where.database;
  milliseconds elapsed{0};
  int jumps = 0;
  on.runner.on_clock_jump = [&](milliseconds) { ++jumps; };
  database.set_clock([&] { return noon + elapsed; });
  on.runner.elapsed_clock = [&] { return elapsed; };
  bool slow = false;
  on.runner.on_step = [&](batch_step at) {
    if (at == batch_step::begun && slow)
      elapsed += milliseconds{2'000};
  };
  // Before it and behind it replies come at once.
  for (const bool now_slow : {false, true, false, true, true, false}) {
    slow = now_slow;
    must(on.runner.run({}));
    elapsed += milliseconds{100};
  }
  CHECK(jumps == 0);
  CHECK(must(on.where.connect_reader()->now()) == noon + elapsed);
}

TEST_CASE("batch_runner: a jump is told only once its batch is committed") {
  rig on;
  auto& database = on.where.database;
  int told = 0;
  on.runner.on_clock_jump = [&](milliseconds) { ++told; };
  must(on.runner.run({}));
  database.advance(std::chrono::hours{1});
  asked_batch broken;
  broken.add("a", [](store&, batch_context&) -> expected<void> {
    return fail(ec::corrupt, "on purpose");
  });
  must(broken.run(on.runner));
  CHECK(told == 0);
  must(on.runner.run({}));
  CHECK(told == 1);
}
