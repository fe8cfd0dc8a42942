#pragma once

#include "persistence/command_store.hpp"
#include "persistence/inbox_store.hpp"
#include "persistence/keep_store.hpp"
#include "persistence/ordering_store.hpp"
#include "persistence/outbox_store.hpp"
#include "persistence/outcome_store.hpp"
#include "persistence/removal_store.hpp"
#include "persistence/rows.hpp"
#include "persistence/store_snapshot.hpp"
#include "persistence/waiting_store.hpp"
#include "schema/error.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir {

// Of persistence/realm_store.hpp, which few need.
struct realm_stores;
class realm_reader;

/// What an open batch knows. Every stored time of the batch is `now`.
struct batch_context {
  uint32_t slot = 0;
  uint64_t run = 0;
  /// The last position in use. An operation takes one for each feed row it
  /// writes by `++pos`; the next operation begins behind those it was promised.
  uint64_t pos = 0;
  stored_time now; ///< Database time less the store's clock offset.
};

/// The fence of one writer: the slot row as this writer last knew it.
struct slot_lease {
  uint32_t slot = 0;
  uint64_t epoch = 0;
  uint64_t run = 0;
  uint64_t pos = 0;
  friend bool operator==(const slot_lease&, const slot_lease&) = default;
};

/// One writing connection to the store. Not thread-safe: it belongs to one
/// store writer. Errors of every method: `ec::unavailable` when the database is
/// out of reach or its disk is full (the connection may be gone: `reconnect`),
/// `ec::rejected` when the statement itself is refused.
///
/// After any error of a statement nothing more is executed in that transaction;
/// the caller rolls back (rule 3 of docs/store.md).
class store {
public:
  virtual ~store() = default;

  /// Takes the slot for this process: raises its epoch, draws `run`, records it
  /// in `slot_run`, all in one commit. Makes the row when it is missing.
  virtual expected<slot_lease> take_slot(uint32_t slot,
                                         const std::string& owner, uint64_t run)
    = 0;

  /// Every slot row: who beats, and how far they are.
  virtual expected<std::vector<slot_row>> slots() = 0;

  /// Begins a transaction whose first statement moves the slot row from
  /// `lease.pos` to `lease.pos + positions` under its epoch and run, and raises
  /// its beat. Errors: `ec::superseded` when no row matched (nothing is open
  /// then).
  virtual expected<void> begin(const slot_lease& lease, uint64_t positions) = 0;

  /// Database time less `clock_offset`, read in the open batch: by `begin`.
  virtual expected<stored_time> now() = 0;

  /// Adds `by` to the stored clock offset, inside the open batch.
  virtual expected<void> add_clock_offset(milliseconds by) = 0;

  /// Commits, having asserted an open and healthy transaction. Errors:
  /// `ec::in_doubt` when the connection was lost at COMMIT.
  virtual expected<void> commit() = 0;

  /// Ends the transaction without a trace. Never fails: a connection that
  /// cannot roll back is dropped, which does the same.
  virtual void rollback() noexcept = 0;

  /// Throws the connection away and builds a new one.
  virtual expected<void> reconnect() = 0;

  /// The slot row, locked, read in a transaction of its own that is rolled back
  /// again: what an in-doubt commit came to.
  virtual expected<std::optional<slot_row>> read_slot(uint32_t slot) = 0;

  /// Reclaims space and bounds the log of the database, outside a batch. May
  /// take a while on SQLite; bounded by `pages_max` pages a call.
  virtual expected<void> tidy(size_t pages_max) = 0;

  virtual outbox_store& outbox() = 0;
  virtual waiting_store& waiting() = 0;
  virtual inbox_store& inbox() = 0;
  virtual ordering_store& orderings() = 0;
  virtual keep_store& keep() = 0;
  virtual outcome_store& outcomes() = 0;
  virtual command_store& commands() = 0;
  virtual removal_store& removals() = 0;
  virtual realm_stores realms() = 0;
};

/// Where a store is and how this process may use it.
struct store_options {
  /// `sqlite:///absolute/path` or `postgresql://user:password@host:port/name?…`
  std::string url;
  /// Accepts `fsync = off` on PostgreSQL; tests only.
  bool allow_unsafe_database = false;
};

/// Opens a connection, applying missing migrations first when `migrate` is set
/// (one process at a time: the database's own lock decides). Errors:
/// `ec::unavailable`; `ec::corrupt` when a landed migration was changed, the
/// schema is newer than this binary, or the database is not UTF8 or not
/// durable; `ec::forbidden` when a SQLite file is readable by others.
expected<std::unique_ptr<store>> open_store(const store_options& options,
                                            bool migrate);

/// One value of table `meta`: `store_id`, `ping_key` (both 64 hex digits, drawn
/// at creation), `clock_offset`. Also in the reader's port.
struct store_identity {
  std::string store_id;
  std::string ping_key;
};

/// What one page of a listing asks for.
struct page_request {
  int64_t after = 0; ///< The last id of the page before; 0 for the first page.
  size_t rows_max = 100;
};

/// A queue as the admin API shows it: its row, its status, its oldest element.
struct queue_view {
  queue_row row;
  std::optional<queue_status_row> status;
  stored_time oldest_accepted_at; ///< Zero when nothing is owed.
  uint64_t dead_letters = 0;
  uint64_t dead_letter_bytes = 0;
  uint64_t quarantined = 0; ///< Bodies; equal ones are one.
  uint64_t quarantine_bytes = 0;
};
BOOST_DESCRIBE_STRUCT(queue_view, (),
                      (row, status, oldest_accepted_at, dead_letters,
                       dead_letter_bytes, quarantined, quarantine_bytes))

/// What is kept of all appservices together; each kind has one bound.
struct kept_totals {
  uint64_t dead_letter_bytes = 0;
  uint64_t quarantine_bytes = 0;
  friend bool operator==(const kept_totals&, const kept_totals&) = default;
};
BOOST_DESCRIBE_STRUCT(kept_totals, (), (dead_letter_bytes, quarantine_bytes))

/// One reading connection: every call is one snapshot, at most one page and
/// 5 s. Errors: `ec::unavailable`.
class store_reader {
public:
  virtual ~store_reader() = default;

  virtual expected<store_identity> identity() = 0;
  /// Database time less the clock offset.
  virtual expected<stored_time> now() = 0;
  /// Queues by `queue_row::no` above `page.after`.
  virtual expected<std::vector<queue_view>> queues(page_request page) = 0;
  virtual expected<std::optional<queue_view>> queue(const appservice_id& id)
    = 0;
  /// Letters by id above `page.after`; of one appservice when `of` is set. The
  /// items' bytes are left empty in listings.
  virtual expected<std::vector<dead_letter_row>>
  dead_letters(const std::optional<appservice_id>& of, page_request page) = 0;
  virtual expected<std::optional<dead_letter_row>> dead_letter(int64_t id) = 0;
  /// Bodies likewise, but their bytes.
  virtual expected<std::vector<quarantine_row>>
  quarantined(const std::optional<appservice_id>& of, page_request page) = 0;
  virtual expected<std::optional<quarantine_row>> quarantined_body(int64_t id)
    = 0;
  /// The oldest owed elements of one appservice above `after`, whole, bounded
  /// as by `outbox_store::read_owed`. Empty when there is no such appservice.
  virtual expected<std::vector<owed_row>> owed(const appservice_id& of,
                                               uint64_t after, size_t rows_max,
                                               size_t bytes_max)
    = 0;
  virtual expected<kept_counts> kept_by(const appservice_id& of) = 0;
  /// The newest commands whose id is below `before`, in the order of their ids;
  /// at most `rows_max`.
  virtual expected<std::vector<command_row>> commands(int64_t before,
                                                      size_t rows_max)
    = 0;
  virtual expected<kept_totals> kept() = 0;
  /// Size of the database. PostgreSQL looks at every file of it, which takes
  /// milliseconds: ask rarely.
  virtual expected<uint64_t> database_bytes() = 0;
  /// Opens a snapshot that is held over several calls; until it is gone none
  /// of the methods above may be called.
  virtual expected<std::unique_ptr<store_snapshot>>
    open_snapshot(snapshot_access) = 0;
  virtual realm_reader& realms() = 0;
};

/// Opens a reading connection to a store whose migrations are applied.
expected<std::unique_ptr<store_reader>>
open_store_reader(const store_options& options);

} // namespace weir
