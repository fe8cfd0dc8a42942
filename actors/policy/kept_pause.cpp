#include "actors/policy/kept_pause.hpp"

#include <algorithm>

namespace weir::policy {

void kept_pause::holds(instant until, bool by_peer) noexcept {
  surely_until_ = until;
  surely_by_peer_ = by_peer;
  perhaps_until_ = until;
}

void kept_pause::may_hold(instant until) noexcept {
  surely_until_ = std::min(surely_until_, until);
  perhaps_until_ = std::max(perhaps_until_, until);
}

bool kept_pause::must_write(instant now, instant until, bool by_peer,
                            bool must_last) const noexcept {
  const bool is_kept = until <= surely_until_ && (surely_by_peer_ || !by_peer);
  const bool outlives_it = now < perhaps_until_ && until < perhaps_until_;
  return (must_last && !is_kept) || outlives_it;
}

} // namespace weir::policy
