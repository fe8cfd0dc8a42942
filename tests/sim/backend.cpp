#include "tests/sim/backend.hpp"

#include "tests/sim/disk.hpp"
#include "tests/support/database/sqlite_file.hpp"
#include "tests/support/memory_store/memory_state.hpp"
#include "tests/support/memory_store/memory_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

namespace weir::sim {

namespace {

class memory_backend final : public backend {
public:
  expected<std::unique_ptr<store>> open() override {
    return database_.connect();
  }
  expected<std::unique_ptr<store_reader>> open_reader() override {
    return database_.connect_reader();
  }
  void set_clock(std::function<stored_time()> clock) override {
    database_.set_clock(std::move(clock));
  }
  void set_full(bool full) override {
    database_.set_disk_full(full);
  }
  void fail_next_flush() override {
    database_.lose_connection(test::connection_loss::at_commit_stored);
  }
  void end_process() override {
  }
  void cut_power(const std::function<size_t(size_t)>&) override {
  }
  std::shared_ptr<const void> copy() override {
    return database_.copy();
  }
  void put_back(const std::shared_ptr<const void>& copied) override {
    database_.restore(
      std::static_pointer_cast<const test::memory_tables>(copied));
  }
  std::vector<queue_books> books() override;

private:
  test::memory_database database_;
};

std::vector<queue_books> memory_backend::books() {
  const auto tables = database_.copy();
  std::vector<queue_books> result;
  for (const auto& [no, row] : tables->queues) {
    queue_books of{row.id.value,          row.acked,       row.next_seq,
                   row.owed_events,       row.owed_others, row.owed_bytes,
                   row.pinned.has_value()};
    for (auto at = tables->outbox.lower_bound({no, 0});
         at != tables->outbox.end() && at->first.first == no; ++at) {
      const auto& item = at->second.item;
      ++(item.kind == lane::event ? of.event_rows : of.other_rows);
      of.row_bytes += item.bytes.size();
      of.last_seq = at->second.seq;
      if (of.first_seq == 0)
        of.first_seq = at->second.seq;
    }
    of.waiting = row.waiting;
    of.waiting_bytes = row.waiting_bytes;
    for (auto at = tables->waiting.lower_bound({no, 0});
         at != tables->waiting.end() && at->first.first == no; ++at) {
      ++of.waiting_rows;
      of.waiting_row_bytes += at->second.bytes.size();
    }
    result.push_back(of);
  }
  return result;
}

/// One real file, empty for good, whose name stands for all databases here.
const test::sqlite_file& the_name() {
  static const test::sqlite_file file;
  return file;
}

class sqlite_backend final : public backend {
public:
  sqlite_backend() {
    disk_.mount();
    // Migrations take longer than a run.
    static const auto migrated = [this] {
      auto made = open_store(the_name().options(), true);
      WEIR_ASSERT(made.has_value());
      made.value().reset();
      return disk_.copy();
    }();
    disk_.restore(migrated);
  }

  expected<std::unique_ptr<store>> open() override {
    return open_store(the_name().options(), false);
  }
  expected<std::unique_ptr<store_reader>> open_reader() override {
    return open_store_reader(the_name().options());
  }
  void set_clock(std::function<stored_time()> clock) override {
    disk_.clock = std::move(clock);
  }
  void set_full(bool full) override {
    disk_.set_full(full);
  }
  void fail_next_flush() override {
    disk_.fail_next_flush();
  }
  void end_process() override {
    disk_.end_process();
  }
  void cut_power(const std::function<size_t(size_t)>& keep) override {
    disk_.cut_power(keep);
  }
  std::shared_ptr<const void> copy() override {
    return std::make_shared<const disk::image>(disk_.copy());
  }
  void put_back(const std::shared_ptr<const void>& copied) override {
    disk_.restore(*std::static_pointer_cast<const disk::image>(copied));
  }
  std::vector<queue_books> books() override;

private:
  disk disk_;
};

/// A row's place is its appservice times 2^40 plus its seq.
constexpr const char* books_query
  = "SELECT a.id, a.acked, a.next_seq, a.owed_events, a.owed_others, "
    "a.owed_bytes, a.pin_id IS NOT NULL, COALESCE(SUM(o.lane = 0), 0), "
    "COALESCE(SUM(o.lane <> 0), 0), "
    "COALESCE(SUM(LENGTH(CAST(o.bytes AS BLOB))), 0), "
    "COALESCE(MIN(o.place & 1099511627775), 0), "
    "COALESCE(MAX(o.place & 1099511627775), 0), "
    "a.waiting, a.waiting_bytes, "
    "(SELECT COUNT(*) FROM waiting_ephemeral w WHERE w.place >> 40 = a.no), "
    "(SELECT COALESCE(SUM(LENGTH(CAST(w.bytes AS BLOB))), 0) "
    "FROM waiting_ephemeral w WHERE w.place >> 40 = a.no) "
    "FROM appservice a LEFT JOIN outbox o ON o.place >> 40 = a.no "
    "GROUP BY a.no";

std::vector<queue_books> sqlite_backend::books() {
  std::vector<queue_books> result;
  sqlite3* on = nullptr;
  WEIR_ASSERT(sqlite3_open(the_name().path().c_str(), &on) == SQLITE_OK);
  sqlite3_stmt* asked = nullptr;
  WEIR_ASSERT(sqlite3_prepare_v2(on, books_query, -1, &asked, nullptr)
              == SQLITE_OK);
  while (sqlite3_step(asked) == SQLITE_ROW) {
    const auto count = [&](int column) {
      return static_cast<uint64_t>(sqlite3_column_int64(asked, column));
    };
    const auto* id
      = reinterpret_cast<const char*>(sqlite3_column_text(asked, 0));
    result.push_back({id, count(1), count(2), count(3), count(4), count(5),
                      count(6) != 0, count(7), count(8), count(9), count(10),
                      count(11), count(12), count(13), count(14), count(15)});
  }
  sqlite3_finalize(asked);
  sqlite3_close(on);
  return result;
}

} // namespace

std::string fault_in(const queue_books& books) {
  if (books.event_rows != books.owed_events
      || books.other_rows != books.owed_others
      || books.row_bytes != books.owed_bytes)
    return fmt::format("{}: owes {} events, {} others, {} bytes and has {}, "
                       "{}, {}",
                       books.id, books.owed_events, books.owed_others,
                       books.owed_bytes, books.event_rows, books.other_rows,
                       books.row_bytes);
  if (books.waiting_rows != books.waiting
      || books.waiting_row_bytes != books.waiting_bytes)
    return fmt::format("{}: {} wait with {} bytes, and {} with {} are there",
                       books.id, books.waiting, books.waiting_bytes,
                       books.waiting_rows, books.waiting_row_bytes);
  if (books.waiting != 0 && !books.pinned)
    return fmt::format("{}: {} wait for nothing", books.id, books.waiting);
  if (books.first_seq != 0 && books.first_seq <= books.acked)
    return fmt::format("{}: row {} is at or below the cursor {}", books.id,
                       books.first_seq, books.acked);
  if (books.last_seq >= books.next_seq)
    return fmt::format("{}: row {} is not below {}", books.id, books.last_seq,
                       books.next_seq);
  if (books.pinned != (books.first_seq != 0))
    return fmt::format("{}: {} pin, {} rows", books.id,
                       books.pinned ? "a" : "no",
                       books.event_rows + books.other_rows);
  return {};
}

std::unique_ptr<backend> make_backend(store_kind kind) {
  if (kind == store_kind::memory)
    return std::make_unique<memory_backend>();
  return std::make_unique<sqlite_backend>();
}

} // namespace weir::sim
