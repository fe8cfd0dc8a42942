#pragma once

#include "persistence/rows.hpp"
#include "schema/error.hpp"

#include <cstdint>

namespace weir {

/// Tables `dead_letter` and `quarantine`: what could not be delivered or not be
/// understood, kept for a person. Runs inside the writer's open batch.
class keep_store {
public:
  virtual ~keep_store() = default;

  /// Keeps one element for good. Returns its id. A letter with the same
  /// appservice and bytes that is already there gives its id (dedupe by hash).
  virtual expected<int64_t> bury(const dead_letter_row& row) = 0;

  /// Counts a body whose bytes are there already for this appservice. False:
  /// they are not.
  virtual expected<bool> count_quarantined(const quarantine_row& row) = 0;

  /// Keeps a body, or counts it when the same bytes of this appservice are
  /// there already. Returns its id.
  virtual expected<int64_t> quarantine(const quarantine_row& row) = 0;

  /// Bytes held by dead letters, by quarantined bodies. Read from a total that
  /// each row's coming and going keeps, so asked for before each addition.
  virtual expected<uint64_t> dead_letter_bytes() = 0;
  virtual expected<uint64_t> quarantine_bytes() = 0;
};

} // namespace weir
