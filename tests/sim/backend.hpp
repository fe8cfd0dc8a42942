#pragma once

#include "tests/sim/watched_store.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weir::sim {

/// Which database a run is on.
enum class store_kind : uint8_t { memory, sqlite };

/// The books of one queue, and what its rows come to when counted.
struct queue_books {
  std::string id;
  uint64_t acked = 0;
  uint64_t next_seq = 0;
  uint64_t owed_events = 0;
  uint64_t owed_others = 0;
  uint64_t owed_bytes = 0;
  bool pinned = false;
  uint64_t event_rows = 0;
  uint64_t other_rows = 0;
  uint64_t row_bytes = 0;
  uint64_t first_seq = 0; ///< 0 when there are no rows.
  uint64_t last_seq = 0;
  uint64_t waiting = 0; ///< Of the ephemeral lane, as counted by the queue,
  uint64_t waiting_bytes = 0;
  uint64_t waiting_rows = 0; ///< and as they are.
  uint64_t waiting_row_bytes = 0;
};

/// What is wrong with them; empty when nothing is.
std::string fault_in(const queue_books& books);

/// The database of a run, and what can happen to it as a whole.
class backend {
public:
  virtual ~backend() = default;
  virtual expected<std::unique_ptr<store>> open() = 0;
  virtual expected<std::unique_ptr<store_reader>> open_reader() = 0;
  /// Takes the time from there.
  virtual void set_clock(std::function<stored_time()> clock) = 0;
  virtual void set_full(bool full) = 0;
  /// The next commit is in doubt, in the way in which this database can be.
  virtual void fail_next_flush() = 0;
  /// The node ended; connections are void.
  virtual void end_process() = 0;
  /// The same, and what was not flushed is gone, in part by `random`.
  virtual void cut_power(const std::function<size_t(size_t)>& keep) = 0;
  /// Keeps a copy, and puts it back. No connection may be open then.
  virtual std::shared_ptr<const void> copy() = 0;
  virtual void put_back(const std::shared_ptr<const void>& copied) = 0;
  /// The books of all queues.
  virtual std::vector<queue_books> books() = 0;
};

std::unique_ptr<backend> make_backend(store_kind kind);

} // namespace weir::sim
