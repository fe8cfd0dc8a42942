#pragma once

#include "persistence/store.hpp"

#include <functional>
#include <memory>

namespace weir::test {

struct memory_tables;
class memory_state;

/// When a connection goes, as seen from its next COMMIT.
enum class connection_loss {
  before_commit,        ///< COMMIT was never sent: `ec::unavailable`.
  at_commit_not_stored, ///< `ec::in_doubt`, and it rolled back.
  at_commit_stored,     ///< `ec::in_doubt`, and it committed.
  after_commit,         ///< Committed and answered; then it goes.
};

/// A database in memory: the twin of the two that ship, with faults to inject.
/// It passes the conformance suite without exemption. Copies share one state.
/// Thread-safe; one transaction at a time, others wait as they do on SQLite.
class memory_database {
public:
  memory_database();

  [[nodiscard]] std::unique_ptr<store> connect() const;
  [[nodiscard]] std::unique_ptr<store_reader> connect_reader() const;

  /// The nth statement from now fails once; 1 is the next. A statement is one
  /// call of a port's method.
  void fail_statement(uint64_t nth, ec code = ec::rejected);
  void lose_connection(connection_loss when);
  /// While away, nothing connects and every connection in use is lost.
  void set_away(bool away);
  /// Goes away by itself with the next COMMIT, once that is decided.
  void set_away_after_commit();
  /// While full, what adds rows fails with `ec::unavailable`.
  void set_disk_full(bool full);

  /// Time stands still until it is set: milliseconds since 1970, before any
  /// clock offset is taken off.
  void set_time(stored_time now);
  void advance(milliseconds by);
  /// Takes the time from elsewhere, for instance from a virtual clock.
  void set_clock(std::function<stored_time()> clock);

  [[nodiscard]] uint64_t commits() const;
  [[nodiscard]] uint64_t statements() const;

  /// All that is committed, to be put back later: an operator's file copy.
  [[nodiscard]] std::shared_ptr<const memory_tables> copy() const;
  void restore(const std::shared_ptr<const memory_tables>& copied);

private:
  std::shared_ptr<memory_state> state_;
};

} // namespace weir::test
