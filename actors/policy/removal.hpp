#pragma once

#include "schema/time.hpp"

#include <cstdint>

/// What becomes of appservices that no configuration names any more.
namespace weir::policy {

/// What is to be done with one that the store has rows of.
enum class removal_step : uint8_t {
  none,
  note_gone, ///< It is not configured, and the store does not know.
  note_back, ///< It is, and the store says it is not.
  remove,    ///< It is gone for long enough.
};

/// @param removed_at Since when no configuration names it, as stored; zero: one
/// does.
/// @param kept_for How long rows are kept then.
[[nodiscard]] removal_step next_removal_step(bool configured,
                                             stored_time removed_at,
                                             stored_time now,
                                             milliseconds kept_for);

/// Whether rows may go for their age.
[[nodiscard]] bool is_removal_due(stored_time removed_at, stored_time now,
                                  milliseconds kept_for);

} // namespace weir::policy
