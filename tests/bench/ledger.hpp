#pragma once

#include "tests/bench/sqlite.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace bench {

/// One event of a homeserver's transaction; views into its body.
struct event_slice {
  std::string_view bytes;
  std::string event_id;
  int64_t hash = 0; ///< First 8 bytes of SHA-256 of the id.
};

/// Cuts the events out of a transaction's body; nothing when it is none.
/// Thread-safe: every thread has a parser of its own.
std::optional<std::vector<event_slice>> slice_events(std::string_view body);

/// SHA-256 as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

/// What goes to a bridge next: its id is bound to its bytes on disk.
struct outgoing {
  std::string id;
  std::string body;
};

/// Which events came of late: a copy of what `seen_event` holds.
class seen_hashes {
public:
  /// False when it was there.
  bool insert(int64_t hash);

private:
  std::unordered_set<int64_t> known_;
  std::deque<int64_t> in_order_;
};

/// The row of one appservice, as it is on disk.
struct queue_row {
  int64_t no = 0;
  std::string id;
  int64_t next_seq = 1;
  int64_t next_txn = 1;
  std::string pin_id; ///< Empty when nothing is pinned.
  std::string pin_sha256;
  int64_t pin_events = 0; ///< From the one after `acked` on.
  int64_t pin_bytes = 0;
  int64_t acked = 0; ///< The bridge has everything up to this.
  int64_t owed_bytes = 0;
  int64_t delivered_transactions = 0;
  int64_t delivered_events = 0;
  int64_t arrivals = 0;    ///< Of `inbound_transaction`.
  int64_t events_seen = 0; ///< Arrivals of `seen_event`.
  seen_hashes seen;
};

/// The durable half of the reference: one connection that its threads share,
/// since SQLite has one writer anyway, and one commit for each call. It writes
/// the tables, rows and indexes of Weir, from Weir's own migrations. Events are
/// the only lane. Thread-safe; each queue belongs to one thread.
class ledger {
public:
  /// `migrations` is a folder of SQL files, run in the order of their names
  /// when the database is new.
  ledger(const std::string& path, const std::string& migrations);
  ~ledger();
  ledger(const ledger&) = delete;
  ledger& operator=(const ledger&) = delete;

  /// The row of an appservice, made when it is missing, and what it owes first.
  std::optional<outgoing> open(const std::string& id, queue_row& queue);

  /// Stores a transaction unless its id was seen; answers what is to be sent
  /// now, which is nothing while something is in flight.
  std::optional<outgoing> accept(queue_row& queue, std::string_view hs_txn_id,
                                 std::span<const event_slice> events);

  /// The bridge has what is pinned: removes it and pins what follows.
  std::optional<outgoing> acknowledge(queue_row& queue);

private:
  void begin();
  std::string render(queue_row& queue);
  void append(queue_row& queue, std::span<const event_slice> events);
  void load_seen(queue_row& queue);
  std::optional<outgoing> pin_next(queue_row& queue);
  void save(const queue_row& queue);

  std::mutex mutex_;
  database on_;
  std::string run_; ///< First half of every transaction id of this start.
  int64_t run_number_ = 0;
  int64_t position_ = 0;
  int64_t now_ms_ = 0; ///< Of the transaction under way.

  struct statements;
  std::unique_ptr<statements> with_;
};

} // namespace bench
