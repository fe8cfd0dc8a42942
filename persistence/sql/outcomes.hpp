#pragma once

#include "persistence/outcome_store.hpp"
#include "persistence/sql/statement.hpp"

#include <vector>

namespace weir::sql {

/// The feed and the status of queues on SQL. Belongs to one connection.
class outcomes final : public outcome_store {
public:
  explicit outcomes(connection& on);

  expected<void> record(const outcome_row& row) override;
  expected<void> put_status(const queue_status_row& row) override;
  expected<std::optional<queue_status_row>>
  find_status(const std::string& queue) override;
  expected<uint64_t> forget_outcomes(stored_time before, size_t keep_max,
                                     size_t rows_max) override;

private:
  /// The oldest rows of one slot, in order of their positions.
  struct old_rows {
    struct row {
      int64_t pos = 0;
      stored_time at;
    };
    int64_t slot = 0;
    uint64_t held = 0; ///< How many rows the slot has in all.
    std::vector<row> rows;
    size_t leaving = 0; ///< How many of `rows` are to go.
  };

  expected<std::optional<int64_t>> slot_after(int64_t slot);
  expected<old_rows> oldest_of(int64_t slot, size_t rows_max);
  static old_rows* oldest(std::vector<old_rows>& slots);

  statement record_;
  statement put_status_;
  statement find_status_;
  statement next_slot_;
  statement ends_;
  statement oldest_;
  statement remove_;
  statement note_;
};

} // namespace weir::sql
