#include "tests/conformance/stores.hpp"
#include "tests/support/database/small_disk.hpp"

using namespace weir;
using namespace weir::test;

namespace {

struct fillable_memory {
  on_memory where;

  std::unique_ptr<store> connect() {
    return where.connect();
  }
  void fill() {
    where.database.set_disk_full(true);
  }
  void free() {
    where.database.set_disk_full(false);
  }
};

struct fillable_sqlite {
  small_disk disk{4};

  std::unique_ptr<store> connect() {
    return must(open_store(
      {"sqlite://" + (disk.path() / "weir.db").string(), false}, true));
  }
  void fill() {
    disk.fill();
  }
  void free() {
    disk.free();
  }
};

/// More than the log has room for without growing.
asked_batch::work append_much(const std::string& id) {
  return [id](store& on, batch_context&) -> expected<void> {
    WEIR_TRY(auto queue, on.outbox().adopt_queue({id}));
    const std::string large = "\"" + std::string(100'000, 'x') + "\"";
    for (int count = 0; count < 10; ++count) {
      const std::vector rows{event(queue.next_seq++, large)};
      WEIR_TRY(on.outbox().append(queue.no, rows));
    }
    return on.outbox().save_queue(queue);
  };
}

} // namespace

TYPE_TO_STRING_AS("memory", fillable_memory);
TYPE_TO_STRING_AS("SQLite", fillable_sqlite);

TEST_CASE_TEMPLATE("disk full: nothing is half stored, and space heals it",
                   Fillable, fillable_memory, fillable_sqlite) {
  Fillable on;
  auto db = on.connect();
  batch_runner runner{*db, must(db->take_slot(1, "node", first_run))};
  asked_batch before;
  before.add("appservice/a", append_one("a"));
  must(before.run(runner));
  REQUIRE(before.told(0) == ec::none);
  on.fill();
  for (int time = 0; time < 3; ++time) {
    asked_batch during;
    during.add("appservice/a", append_much("a"));
    during.add("appservice/b", append_much("b"));
    static_cast<void>(during.run(runner));
    CHECK(during.told(0) == ec::unavailable);
    CHECK(during.told(1) == ec::unavailable);
  }
  on.free();
  asked_batch after;
  after.add("appservice/a", append_one("a"));
  after.add("appservice/b", append_much("b"));
  must(after.run(runner));
  CHECK(after.told(0) == ec::none);
  CHECK(after.told(1) == ec::none);
  must(db->begin(runner.lease(), 1));
  const auto queue = must(db->outbox().lock_queue({"a"}));
  REQUIRE(queue);
  const auto rows
    = must(db->outbox().read_owed(queue->no, 0, 100, 100'000'000));
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].seq == 2);
  db->rollback();
}

TEST_CASE("disk full: acknowledgements in the same batch go through") {
  on_memory where;
  auto db = where.connect();
  batch_runner runner{*db, must(db->take_slot(1, "node", first_run))};
  asked_batch before;
  before.add("appservice/a", append_one("a"));
  must(before.run(runner));
  where.database.set_disk_full(true);
  asked_batch during;
  uint64_t removed = 0;
  during.add("appservice/a", [&](store& on, batch_context&) -> expected<void> {
    WEIR_TRY(auto queue, on.outbox().lock_queue({"a"}));
    const std::vector<lane_range> all{{lane::event, 1, 1}};
    WEIR_TRY(removed, on.outbox().remove(queue->no, all));
    return ok();
  });
  during.add("appservice/b", append_one("b"));
  must(during.run(runner));
  CHECK(during.told(0) == ec::none);
  CHECK(removed == 1);
  CHECK(during.told(1) == ec::unavailable);
}

TEST_CASE("disk full: tidying gives space back to the file system") {
  on_sqlite where;
  auto db = where.connect();
  batch_runner runner{*db, must(db->take_slot(1, "node", first_run))};
  must(db->tidy(10'000));
  const auto empty = std::filesystem::file_size(where.file.path());
  asked_batch grow;
  grow.add("appservice/a", append_much("a"));
  must(grow.run(runner));
  must(db->tidy(10'000));
  const auto large = std::filesystem::file_size(where.file.path());
  asked_batch shrink;
  shrink.add("appservice/a", [](store& on, batch_context&) -> expected<void> {
    WEIR_TRY(auto queue, on.outbox().lock_queue({"a"}));
    const std::vector<lane_range> all{{lane::event, 1, 10}};
    WEIR_TRY(auto removed, on.outbox().remove(queue->no, all));
    CHECK(removed == 10);
    return ok();
  });
  must(shrink.run(runner));
  must(db->tidy(2));
  const auto some = std::filesystem::file_size(where.file.path());
  must(db->tidy(10'000));
  const auto small = std::filesystem::file_size(where.file.path());
  CHECK(large > empty + 900'000);
  CHECK(some < large);
  CHECK(some > small);
  CHECK(small < empty + 100'000);
  CHECK(std::filesystem::file_size(where.file.path().string() + "-wal") == 0);
}
