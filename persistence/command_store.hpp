#pragma once

#include "persistence/rows.hpp"
#include "schema/error.hpp"

#include <cstddef>
#include <cstdint>

namespace weir {

/// Table `command`: what operators had done. A row is written by the operation
/// that does what it tells of, and so in the same commit. Runs inside the
/// writer's open batch.
class command_store {
public:
  virtual ~command_store() = default;

  /// Adds a row, whose `id` is the store's. Returns it: ids rise.
  virtual expected<int64_t> record(const command_row& row) = 0;

  /// Forgets the oldest above `keep_max` rows, at most `rows_max` in one call.
  /// Returns how many went.
  virtual expected<uint64_t> forget_commands(size_t keep_max, size_t rows_max)
    = 0;
};

} // namespace weir
