#pragma once

#include "persistence/rows.hpp"
#include "schema/error.hpp"

#include <optional>
#include <vector>

namespace weir {

class realm_reader; // Of persistence/realm_store.hpp, which few need.

/// Who holds one may open a snapshot: only `snapshot_opener` does, which
/// compares it with the reader's tokens first.
class snapshot_access {
  friend class snapshot_opener;
  snapshot_access() = default;
};

/// How far rows of the outcome feed have been forgotten.
struct forgotten_row {
  uint32_t slot = 0;
  uint64_t pos = 0; ///< The highest that went.
  friend bool operator==(const forgotten_row&, const forgotten_row&) = default;
};

/// One snapshot of a store, open until it is destroyed: whatever is asked of
/// it, it answers as of one commit. It belongs to the reader that opened it,
/// which does nothing else meanwhile. Errors: `ec::unavailable`; nothing is
/// tried again, since that would be another snapshot.
///
/// It is reached through `caught_up_snapshot` (persistence/snapshot.hpp) only.
class store_snapshot {
public:
  virtual ~store_snapshot() = default;

  virtual expected<std::vector<slot_row>> slots() = 0;
  /// The last position of a run that is over; none when it is not, or when the
  /// slot never had it.
  virtual expected<std::optional<uint64_t>> run_end(uint32_t slot, uint64_t run)
    = 0;
  virtual expected<std::vector<forgotten_row>> forgotten_outcomes() = 0;
  /// Rows of the feed of one slot with `after` < pos <= `until`, the first
  /// `rows_max` by position.
  virtual expected<std::vector<outcome_row>>
  outcomes(uint32_t slot, uint64_t after, uint64_t until, size_t rows_max) = 0;
  /// Realms as of this snapshot.
  virtual realm_reader& realms() = 0;
};

} // namespace weir
