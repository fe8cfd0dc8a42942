#include "tests/conformance/stores.hpp"

using namespace weir;
using namespace weir::test;

namespace {

std::string name_of(size_t round, size_t index) {
  return "q" + std::to_string(round) + "." + std::to_string(index);
}

/// Appends, and then breaks: a statement fails when `by_statement`, else the
/// operation itself gives up.
asked_batch::work broken_append(const std::string& id, bool by_statement) {
  return [=](store& on, batch_context& context) -> expected<void> {
    WEIR_TRY(append_one(id)(on, context));
    if (!by_statement)
      return fail(ec::corrupt, "on purpose");
    WEIR_TRY(auto queue, on.outbox().adopt_queue({id}));
    const std::vector rows{event(1)};
    return on.outbox().append(queue.no, rows);
  };
}

template <class Where>
bool appended(world<Where>& on, const std::string& id) {
  return must(on.reader->queue({id})).has_value();
}

} // namespace

TEST_CASE_TEMPLATE("batch: every asker is told what became of its rows", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  batch_runner runner{*on.db, on.lease};
  // One of five fails, each in turn, and then the second and the last.
  constexpr size_t size = 5;
  const std::vector<std::vector<size_t>> rounds{{0}, {1}, {2},
                                                {3}, {4}, {1, 4}};
  for (size_t round = 0; round < rounds.size(); ++round) {
    CAPTURE(round);
    const auto& broken = rounds[round];
    asked_batch batch;
    for (size_t index = 0; index < size; ++index) {
      const auto id = name_of(round, index);
      const bool breaks
        = std::find(broken.begin(), broken.end(), index) != broken.end();
      batch.add("appservice/" + id,
                breaks ? broken_append(id, round % 2 == 0) : append_one(id));
    }
    must(batch.run(runner));
    for (size_t index = 0; index < size; ++index) {
      CAPTURE(index);
      const bool breaks
        = std::find(broken.begin(), broken.end(), index) != broken.end();
      const auto failure = round % 2 == 0 ? ec::rejected : ec::corrupt;
      CHECK(batch.told(index) == (breaks ? failure : ec::none));
      CHECK(appended(on, name_of(round, index)) == !breaks);
    }
  }
  CHECK(must(on.db->read_slot(1))->pos == runner.lease().pos);
}

TEST_CASE_TEMPLATE("batch: operations run by key and in order of asking", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  batch_runner runner{*on.db, on.lease};
  std::string order;
  asked_batch batch;
  for (const std::string name : {"b1", "a1", "c1", "a2", "b2"})
    batch.add("appservice/" + name.substr(0, 1),
              [&order, name](store&, batch_context&) -> expected<void> {
                order += name;
                return ok();
              });
  must(batch.run(runner));
  CHECK(order == "a1a2b1b2c1");
}

TEST_CASE_TEMPLATE("batch: feed rows have positions of their own", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  batch_runner runner{*on.db, on.lease};
  std::vector<uint64_t> used(4);
  const auto feed = [&](size_t index, uint64_t rows, bool breaks = false) {
    return [&used, index, rows,
            breaks](store& to, batch_context& context) -> expected<void> {
      used[index] = context.pos + 1;
      for (uint64_t row = 0; row < rows; ++row) {
        WEIR_TRY(to.outcomes().record({context.slot, ++context.pos, "q", "s",
                                       "delivered", "", 1, context.now}));
      }
      return breaks ? expected<void>{fail(ec::corrupt, "on purpose")}
                    : expected<void>{ok()};
    };
  };
  asked_batch batch;
  batch.add("a", feed(0, 2), 2);
  batch.add("b", feed(1, 1), 3); // It may write three.
  batch.add("c", feed(2, 1), 1);
  must(batch.run(runner));
  CHECK(used == std::vector<uint64_t>{1, 3, 6, 0});
  CHECK(runner.lease().pos == 6);
  asked_batch halved;
  halved.add("a", feed(0, 1), 1);
  halved.add("b", feed(1, 1, true), 1);
  halved.add("c", feed(2, 1), 1);
  halved.add("d", feed(3, 1), 1);
  must(halved.run(runner));
  CHECK(halved.told(1) == ec::corrupt);
  // Positions are dense over what committed.
  CHECK(used == std::vector<uint64_t>{7, 8, 8, 9});
  CHECK(runner.lease().pos == 9);
  CHECK(must(on.db->read_slot(1))->pos == 9);
}

TEST_CASE_TEMPLATE("batch: no operation at all is a beat", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  batch_runner runner{*on.db, on.lease};
  must(runner.run({}));
  must(runner.run({}));
  CHECK(must(on.db->read_slot(1))->beat == 2);
  CHECK(runner.lease().pos == 2);
}

TEST_CASE_TEMPLATE("batch: askers are told only what is committed", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  batch_runner runner{*on.db, on.lease};
  bool seen = false;
  std::vector<batch_operation> operations(1);
  operations[0].run = append_one("a");
  operations[0].settle = [&](const expected<void>& result) {
    seen = result && must(on.reader->queue({"a"}));
  };
  must(runner.run(operations));
  CHECK(seen);
}

TEST_CASE_TEMPLATE("batch: a superseded runner writes nothing more", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  batch_runner runner{*on.db, on.lease};
  auto successor = on.where.connect();
  must(successor->take_slot(1, "other", first_run + 1));
  for (int time = 0; time < 2; ++time) {
    asked_batch batch;
    batch.add("a", append_one("a"));
    batch.add("b", append_one("b"));
    CHECK(code_of(batch.run(runner)) == ec::superseded);
    CHECK(batch.told(0) == ec::unavailable);
    CHECK(batch.told(1) == ec::unavailable);
  }
  CHECK(!appended(on, "a"));
}

TEST_CASE_TEMPLATE("batch: a take-over between halves stops the second", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  batch_runner runner{*on.db, on.lease};
  auto successor = on.where.connect();
  asked_batch batch;
  batch.add("a", append_one("a"));
  batch.add("b", broken_append("b", true));
  int commits = 0;
  runner.on_step = [&](batch_step at) {
    if (at == batch_step::committed && ++commits == 1)
      must(successor->take_slot(1, "other", first_run + 1));
  };
  CHECK(code_of(batch.run(runner)) == ec::superseded);
  CHECK(batch.told(0) == ec::none);
  CHECK(batch.told(1) == ec::unavailable);
  CHECK(appended(on, "a"));
}

TEST_CASE_TEMPLATE("batch: all of a batch has one time", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  batch_runner runner{*on.db, on.lease};
  std::vector<stored_time> times;
  asked_batch batch;
  for (const std::string key : {"a", "b"})
    batch.add(key, [&](store&, batch_context& context) -> expected<void> {
      times.push_back(context.now);
      CHECK(context.run == first_run);
      CHECK(context.slot == 1);
      return ok();
    });
  must(batch.run(runner));
  REQUIRE(times.size() == 2);
  CHECK(times[0] == times[1]);
  CHECK(times[0] > stored_time{});
}

TEST_CASE_TEMPLATE("batch: a jump of the clock is absorbed for good", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  batch_runner runner{*on.db, on.lease};
  // The machine's own count tells a jump: it stands for the clock that was set.
  milliseconds elapsed{0};
  runner.elapsed_clock = [&] { return boot_time() + elapsed; };
  std::vector<milliseconds> jumps;
  runner.on_clock_jump = [&](milliseconds by) { jumps.push_back(by); };
  stored_time now;
  const auto run = [&] {
    asked_batch batch;
    batch.add("a", [&](store&, batch_context& context) -> expected<void> {
      now = context.now;
      return ok();
    });
    must(batch.run(runner));
    return now;
  };
  const auto before = run();
  elapsed -= std::chrono::hours{1}; // The database's clock went on by an hour.
  const auto after = run();
  REQUIRE(jumps.size() == 1);
  CHECK(std::abs((jumps[0] - std::chrono::hours{1}).count()) < 60'000);
  CHECK(after - before < std::chrono::minutes{1});
  CHECK(after >= before);
  elapsed += std::chrono::hours{2}; // And back by two.
  const auto later = run();
  CHECK(jumps.size() == 2);
  CHECK(later >= after);
  CHECK(later - after > std::chrono::minutes{119});
  // It is stored: readers and the next start see it too.
  const auto read = must(on.reader->now());
  CHECK(std::abs((read - later).count()) < 60'000);
}
