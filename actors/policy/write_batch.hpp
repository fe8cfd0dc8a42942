#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir::policy {

/// Acknowledgements go first: each lets the next transaction start.
enum class write_priority : uint8_t { acknowledge, accept, other };

/// One operation that waits at the store writer.
struct waiting_write {
  uint64_t ticket = 0; ///< The caller's name for it; unique among the waiting.
  std::string key;     ///< The row it locks, as `batch_operation::key`.
  size_t rows = 0;     ///< That it writes, about; 0 counts as 1.
  size_t bytes = 0;
  write_priority priority = write_priority::other;
  instant deadline; ///< From then on it is refused unstarted.
};

/// Decides which waiting operations go into one database transaction.
///
/// - At most one operation of a key in a batch; those of one key run in the
///   order they came in, whatever their priorities.
/// - At most `limits::batch_rows_max` rows and `limits::batch_bytes_max` bytes;
///   an operation larger than that goes alone.
/// - Acknowledgements first, then the others; each class in order of arrival
///   and closed by the first that does not fit, so that a large one cannot be
///   overtaken for ever. Where acknowledgements leave no room for any other,
///   the next batch takes the others first: of both classes, what could go and
///   is oldest goes in one of any two batches.
///
/// Not thread-safe; owned by the store writer. Source: docs/store.md, "One
/// batch", rules 2, 4 and 5.
class write_queue {
public:
  /// Adds an operation behind all others. The caller bounds how many.
  void push(waiting_write operation);

  /// Removes the next batch. Returns its tickets in the order in which they
  /// are to run, which is by key; empty only when nothing waits.
  [[nodiscard]] std::vector<uint64_t> take_batch();

  /// Removes what is not to be begun any more at `now`. Returns the tickets in
  /// order of arrival.
  [[nodiscard]] std::vector<uint64_t> take_expired(instant now);

  [[nodiscard]] size_t size() const noexcept {
    return waiting_.size();
  }

  /// Whether waiting longer would not make the next batch any larger.
  [[nodiscard]] bool full_batch_waiting() const noexcept;

private:
  using arrival = uint64_t;

  struct draft;
  static void fill(draft& batch, const std::set<arrival>& candidates,
                   const std::map<arrival, waiting_write>& waiting);
  void make_head(arrival number);
  void remove(arrival number);

  std::map<arrival, waiting_write> waiting_;
  /// Of each key, in order; the first is its head and alone may go next.
  std::unordered_map<std::string, std::deque<arrival>> lines_;
  std::set<arrival> acknowledge_heads_;
  std::set<arrival> other_heads_;
  size_t head_rows_ = 0;
  size_t head_bytes_ = 0;
  arrival next_arrival_ = 0;
  bool others_first_ = false; ///< The last batch had no room for any of them.
};

} // namespace weir::policy
