#pragma once

#include "persistence/rows.hpp"
#include "schema/error.hpp"

#include <optional>
#include <span>
#include <vector>

namespace weir {

/// Table `outbox_ordering`: what recognises events that are handed in again by
/// the second door. A row outlives its event. Runs inside the writer's open
/// batch.
class ordering_store {
public:
  virtual ~ordering_store() = default;

  /// Those of `orderings` that are remembered, in their order.
  virtual expected<std::vector<uint64_t>>
  find(queue_no queue, std::span<const uint64_t> orderings) = 0;

  /// Adds rows; their seqs ascend. Errors: `ec::rejected` for an ordering that
  /// is there.
  virtual expected<void> add(queue_no queue, std::span<const ordering_row> rows)
    = 0;

  /// The highest ordering of the events with seqs from `first` to `last`.
  virtual expected<std::optional<uint64_t>>
  highest(queue_no queue, uint64_t first, uint64_t last) = 0;

  /// Forgets the `too_many` oldest and all older than `before`: in order of
  /// seq, at most `rows_max`, and no further than the first that may stay, nor
  /// past `acked`, since what is owed is remembered. Returns how many went.
  virtual expected<uint64_t> forget(queue_no queue, stored_time before,
                                    uint64_t too_many, uint64_t acked,
                                    size_t rows_max)
    = 0;
};

} // namespace weir
