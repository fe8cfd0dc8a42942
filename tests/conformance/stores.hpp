#pragma once

#include "persistence/batch.hpp"
#include "persistence/store.hpp"
#include "tests/support/database/cut_proxy.hpp"
#include "tests/support/database/postgresql_cluster.hpp"
#include "tests/support/database/sqlite_file.hpp"
#include "tests/support/memory_store/memory_store.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The three stores of the one suite. Each case is written once and named after
/// the store it runs on.
namespace weir::test {

/// The value, or the end of the case with the error.
template <class T>
T must(expected<T> result) {
  if (!result)
    FAIL(to_string(result.error()));
  if constexpr (!std::is_void_v<T>)
    return std::move(result.value());
}

/// The kind of failure; `ec::none` when there is none.
template <class T>
ec code_of(const expected<T>& result) {
  return result ? ec::none : result.error().code;
}

struct on_memory {
  memory_database database;

  std::unique_ptr<store> connect() {
    return database.connect();
  }
  std::unique_ptr<store_reader> connect_reader() {
    return database.connect_reader();
  }
};

struct on_sqlite {
  sqlite_file file;

  std::unique_ptr<store> connect() {
    return must(open_store(file.options(), true));
  }
  std::unique_ptr<store_reader> connect_reader() {
    return must(open_store_reader(file.options()));
  }
};

struct on_postgresql {
  postgresql_database database;

  std::unique_ptr<store> connect() {
    return must(open_store(database.options(), true));
  }
  std::unique_ptr<store_reader> connect_reader() {
    return must(open_store_reader(database.options()));
  }
};

inline constexpr uint64_t first_run = 0x1A2B3C4D5E6F;
inline constexpr stored_time noon{1'700'000'000'000};

/// One store with a writer on slot 1.
template <class Where>
struct world {
  Where where;
  std::unique_ptr<store> db = where.connect();
  std::unique_ptr<store_reader> reader = where.connect_reader();
  slot_lease lease = must(db->take_slot(1, "node", first_run));

  /// Runs `work` in a transaction that commits.
  template <class Work>
  void batch(Work work, uint64_t positions = 1) {
    must(db->begin(lease, positions));
    work();
    must(db->commit());
    lease.pos += positions;
  }
  /// The queue of an appservice, adopted if need be.
  queue_row adopted(const std::string& id) {
    queue_row row;
    batch([&] { row = must(db->outbox().adopt_queue({id})); });
    return row;
  }
  std::vector<owed_row> owed(queue_no queue) {
    std::vector<owed_row> rows;
    batch([&] {
      rows = must(db->outbox().read_owed(queue, 0, 10'000, size_t{1} << 30));
    });
    return rows;
  }
};

/// An event of a queue.
inline owed_row event(uint64_t seq, std::string bytes = R"({"type":"m.x"})") {
  owed_row row;
  row.seq = seq;
  row.came_with = seq;
  row.item.bytes = std::move(bytes);
  row.item.event_id = "$" + std::to_string(seq);
  row.item.id_hash = seq * 0x9E3779B97F4A7C15U;
  row.accepted_at = noon + milliseconds{static_cast<int64_t>(seq)};
  return row;
}

/// Operations of one batch, with what each asker was told.
class asked_batch {
public:
  using work = std::function<expected<void>(store&, batch_context&)>;

  void add(std::string key, work run, uint64_t feed_rows = 0) {
    told_.emplace_back();
    const size_t index = told_.size() - 1;
    operations_.push_back({std::move(key), feed_rows, std::move(run),
                           [this, index](const expected<void>& result) {
                             told_[index].push_back(code_of(result));
                           }});
  }
  expected<void> run(batch_runner& on) {
    return on.run(operations_);
  }
  /// What the asker was told; each is told once.
  [[nodiscard]] ec told(size_t index) const {
    REQUIRE(told_[index].size() == 1);
    return told_[index].front();
  }
  [[nodiscard]] size_t size() const {
    return told_.size();
  }

private:
  std::vector<batch_operation> operations_;
  std::vector<std::vector<ec>> told_;
};

/// An operation that appends one event to its queue.
inline asked_batch::work append_one(std::string id) {
  return [id = std::move(id)](store& on, batch_context&) -> expected<void> {
    WEIR_TRY(auto queue, on.outbox().adopt_queue({id}));
    const std::vector rows{event(queue.next_seq++)};
    WEIR_TRY(on.outbox().append(queue.no, rows));
    return on.outbox().save_queue(queue);
  };
}

} // namespace weir::test

TYPE_TO_STRING_AS("memory", weir::test::on_memory);
TYPE_TO_STRING_AS("SQLite", weir::test::on_sqlite);
TYPE_TO_STRING_AS("PostgreSQL", weir::test::on_postgresql);

/// Every store, for TEST_CASE_TEMPLATE.
#define WEIR_EVERY_STORE                                                       \
  weir::test::on_memory, weir::test::on_sqlite, weir::test::on_postgresql
