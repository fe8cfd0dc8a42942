#pragma once

#include "persistence/rows.hpp"
#include "schema/error.hpp"

#include <span>
#include <vector>

namespace weir {

/// Table `waiting_ephemeral`: elements of the ephemeral lane that are behind
/// all that is owed and in no transaction yet. Runs inside the writer's open
/// batch, with the appservice's row locked.
class waiting_store {
public:
  virtual ~waiting_store() = default;

  /// Adds elements; their arrivals are the caller's, ascending and unused.
  /// Bytes and keys as in `outbox_store::append`.
  virtual expected<void> add(queue_no queue, std::span<const waiting_row> rows)
    = 0;

  /// Those about any of the subjects, oldest first.
  virtual expected<std::vector<waiting_row>>
  about(queue_no queue, std::span<const uint64_t> subjects) = 0;

  /// The oldest, in order of arrival.
  virtual expected<std::vector<waiting_row>> oldest(queue_no queue,
                                                    size_t rows_max)
    = 0;

  /// Deletes by arrival. Returns how many there were.
  virtual expected<uint64_t> remove(queue_no queue,
                                    std::span<const uint64_t> arrivals)
    = 0;
};

} // namespace weir
