#pragma once

#include "persistence/rows.hpp"
#include "schema/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weir {

/// All rows of appservices that are to go. Runs inside the writer's open batch.
class removal_store {
public:
  virtual ~removal_store() = default;

  /// Appservices by id after `after` (empty: from the first), at most
  /// `rows_max`.
  virtual expected<std::vector<held_queue>> queues(const appservice_id& after,
                                                   size_t rows_max)
    = 0;

  /// What is kept by the id and not by the number.
  virtual expected<kept_counts> count_kept(const appservice_id& of) = 0;

  /// Writes the row, and deletes the one of the queue and its status. The id is
  /// free: a queue of that id that is adopted later has another number, and its
  /// elements and transaction ids begin at the highest `next_seq` and
  /// `next_txn` of its removals.
  virtual expected<void> begin(const removal_row& row) = 0;

  /// The oldest removal that was begun and not finished, of one appservice or
  /// of any.
  virtual expected<std::optional<removal_row>>
  unfinished(const std::optional<appservice_id>& of) = 0;

  /// Deletes at most `rows_max` of its rows. Returns how many; 0: none is left.
  virtual expected<uint64_t> remove_some(const removal_row& row,
                                         size_t rows_max)
    = 0;

  /// All rows are gone. Forgets older removals of the same id.
  virtual expected<void> finish(const removal_row& row) = 0;
};

} // namespace weir
