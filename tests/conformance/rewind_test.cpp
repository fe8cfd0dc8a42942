#include "tests/conformance/stores.hpp"

#include <fstream>
#include <iterator>

using namespace weir;
using namespace weir::test;

namespace {

/// A store of which an operator keeps a copy and puts it back.
struct copied_memory {
  on_memory where;
  std::shared_ptr<const memory_tables> copied;

  void keep_copy() {
    copied = where.database.copy();
  }
  void put_back() {
    where.database.restore(copied);
  }
};

struct copied_sqlite {
  on_sqlite where;

  [[nodiscard]] std::filesystem::path copied() const {
    return where.file.path().parent_path() / "yesterday";
  }
  /// A plain copy of the one file; no connection is open.
  void keep_copy() {
    std::filesystem::copy_file(where.file.path(), copied());
  }
  void put_back() {
    std::filesystem::copy_file(
      copied(), where.file.path(),
      std::filesystem::copy_options::overwrite_existing);
  }
};

struct copied_postgresql {
  on_postgresql where;

  static constexpr const char* tables[]
    = {"slot", "slot_run", "appservice", "outbox"};
  void keep_copy() {
    for (const std::string table : tables)
      where.database.execute("CREATE TABLE copy_of_" + table + " AS TABLE "
                             + table);
  }
  void put_back() {
    where.database.execute("TRUNCATE slot, slot_run, appservice, outbox");
    for (const std::string table : tables)
      where.database.execute("INSERT INTO " + table
                             + " OVERRIDING SYSTEM VALUE TABLE copy_of_"
                             + table);
  }
};

} // namespace

TYPE_TO_STRING_AS("memory", copied_memory);
TYPE_TO_STRING_AS("SQLite", copied_sqlite);
TYPE_TO_STRING_AS("PostgreSQL", copied_postgresql);

#define EVERY_COPIED_STORE copied_memory, copied_sqlite, copied_postgresql

TEST_CASE_TEMPLATE("rewind: a writer from before a copy was put back is "
                   "superseded",
                   Copied, EVERY_COPIED_STORE) {
  Copied on;
  slot_lease lease;
  {
    auto db = on.where.connect();
    batch_runner runner{*db, must(db->take_slot(1, "node", first_run))};
    must(runner.run({}));
    lease = runner.lease();
  }
  on.keep_copy();
  {
    auto db = on.where.connect();
    batch_runner runner{*db, lease};
    must(runner.run({}));
    lease = runner.lease();
  }
  on.put_back();
  auto db = on.where.connect();
  batch_runner runner{*db, lease};
  asked_batch batch;
  batch.add("appservice/a", append_one("a"));
  CHECK(code_of(batch.run(runner)) == ec::superseded);
  CHECK(batch.told(0) == ec::unavailable);
}

TEST_CASE_TEMPLATE("rewind: no transaction id comes twice from a copy", Copied,
                   EVERY_COPIED_STORE) {
  // Each start pins one transaction under the run of its slot row.
  Copied on;
  const auto start = [&](uint64_t run) {
    auto db = on.where.connect();
    batch_runner runner{*db, must(db->take_slot(1, "node", run))};
    std::string id;
    asked_batch batch;
    batch.add("appservice/a",
              [&](store& to, batch_context& context) -> expected<void> {
                WEIR_TRY(auto queue, to.outbox().adopt_queue({"a"}));
                id = std::to_string(context.run) + "-"
                  + std::to_string(queue.next_txn++);
                return to.outbox().save_queue(queue);
              });
    must(batch.run(runner));
    CHECK(batch.told(0) == ec::none);
    return id;
  };
  std::vector<std::string> ids{start(first_run)};
  on.keep_copy();
  ids.push_back(start(first_run + 1));
  on.put_back();
  // The counter is back where it was; the run is not.
  ids.push_back(start(first_run + 2));
  CHECK(ids[1].substr(ids[1].find('-')) == ids[2].substr(ids[2].find('-')));
  std::sort(ids.begin(), ids.end());
  CHECK(std::unique(ids.begin(), ids.end()) == ids.end());
}
