#pragma once

#include "schema/time.hpp"

namespace weir::policy {

/// What the store holds of one queue's pause, as far as that is known, and so
/// whether something has to be written: a pause that must survive a restart, or
/// the end of one that would hold again after it.
///
/// A write whose answer did not come may have been done or not; until the next
/// one that is answered, both are reckoned with. Not thread-safe; takes every
/// time from the caller.
class kept_pause {
public:
  /// The store holds this pause. `until` is over or unset: none.
  void holds(instant until, bool by_peer) noexcept;

  /// It was told to hold this pause, and what became of that is not known.
  void may_hold(instant until) noexcept;

  /// Whether the pause in force has to be written.
  /// @param until When it ends; in the past when none is in force.
  /// @param by_peer The peer asked for it.
  /// @param must_last It has to survive a restart.
  [[nodiscard]] bool must_write(instant now, instant until, bool by_peer,
                                bool must_last) const noexcept;

private:
  instant surely_until_{};
  bool surely_by_peer_ = false;
  instant perhaps_until_{}; ///< Not before `surely_until_`.
};

} // namespace weir::policy
