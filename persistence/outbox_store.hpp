#pragma once

#include "persistence/rows.hpp"
#include "schema/error.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

/// Tables `appservice` and `outbox`. Every method runs inside the writer's open
/// batch, which holds the slot's row lock; none begins or ends a transaction.
/// An error means that a statement broke, and ends the batch.
class outbox_store {
public:
  virtual ~outbox_store() = default;

  /// Reads and locks one outbox. Empty when the appservice was never adopted.
  virtual expected<std::optional<queue_row>> lock_queue(const appservice_id& id)
    = 0;

  /// Makes the row when it is missing, and returns it locked. Idempotent.
  virtual expected<queue_row> adopt_queue(const appservice_id& id) = 0;

  /// Writes back a row got from `lock_queue` or `adopt_queue` in this batch.
  virtual expected<void> save_queue(const queue_row& row) = 0;

  /// Adds elements; their seqs are the caller's, ascending and unused. Bytes
  /// and keys are UTF-8 without a zero byte, else `ec::rejected`; an event id
  /// may hold any bytes.
  virtual expected<void> append(queue_no queue, std::span<const owed_row> rows)
    = 0;

  /// The oldest owed elements above `after`, in order of seq: at most
  /// `rows_max`, and stopping after the row with which their bytes pass
  /// `bytes_max` (so never empty because of one large element).
  virtual expected<std::vector<owed_row>>
  read_owed(queue_no queue, uint64_t after, size_t rows_max, size_t bytes_max)
    = 0;

  /// The rows of the named ranges, in order of seq.
  virtual expected<std::vector<owed_row>>
  read_ranges(queue_no queue, std::span<const lane_range> ranges) = 0;

  /// The newest rows above `after` of the lanes device_lists and key_counts, at
  /// most `rows_max`, in order of seq. Costs nothing for rows of other lanes.
  virtual expected<std::vector<owed_row>>
  read_values(queue_no queue, uint64_t after, size_t rows_max) = 0;

  /// Replaces the bytes of one row. Errors: `ec::rejected` when there is none.
  virtual expected<void> rewrite(queue_no queue, uint64_t seq,
                                 std::string_view bytes)
    = 0;

  /// Deletes the rows of the named ranges. Returns how many there were.
  virtual expected<uint64_t> remove(queue_no queue,
                                    std::span<const lane_range> ranges)
    = 0;

  /// Appservices that are owed something, by id, at most `rows_max`, after
  /// `after` (empty: from the first).
  virtual expected<std::vector<appservice_id>>
  owed_queues(const appservice_id& after, size_t rows_max) = 0;
};

} // namespace weir
