#pragma once

#include "persistence/rows.hpp"
#include "schema/error.hpp"

#include <optional>
#include <string>

namespace weir {

/// Tables `outcome` and `queue_status`. Runs inside the writer's open batch.
class outcome_store {
public:
  virtual ~outcome_store() = default;

  /// Adds a row of the feed at (slot, pos); both are set by the caller from the
  /// open batch.
  virtual expected<void> record(const outcome_row& row) = 0;

  /// Inserts or replaces what is said of one queue.
  virtual expected<void> put_status(const queue_status_row& row) = 0;

  /// What was last said of one queue; nothing of one that was never said.
  virtual expected<std::optional<queue_status_row>>
  find_status(const std::string& queue) = 0;

  /// Forgets rows of the feed that are older than `before` and the oldest above
  /// `keep_max` rows; at most `rows_max` in one call. Each slot's rows go in
  /// the order of their positions, among slots the older goes first. How far
  /// each slot's went is noted, for tokens that are older. Returns
  /// how many went, at a cost that does not grow with how many stay.
  virtual expected<uint64_t> forget_outcomes(stored_time before,
                                             size_t keep_max, size_t rows_max)
    = 0;
};

} // namespace weir
