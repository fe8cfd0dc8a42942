#include "actors/policy/removal.hpp"

namespace weir::policy {

removal_step next_removal_step(bool configured, stored_time removed_at,
                               stored_time now, milliseconds kept_for) {
  const bool noted = removed_at != stored_time{};
  if (configured)
    return noted ? removal_step::note_back : removal_step::none;
  if (!noted)
    return removal_step::note_gone;
  return is_removal_due(removed_at, now, kept_for) ? removal_step::remove
                                                   : removal_step::none;
}

bool is_removal_due(stored_time removed_at, stored_time now,
                    milliseconds kept_for) {
  return removed_at != stored_time{} && now - removed_at >= kept_for;
}

} // namespace weir::policy
