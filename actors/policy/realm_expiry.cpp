#include "actors/policy/realm_expiry.hpp"

namespace weir::policy {

bool is_left_open(bool before, realm_class of, send_end how) noexcept {
  if (of == realm_class::progress && how != send_end::not_sent)
    return true;
  // One that may not have arrived has ended nothing for sure.
  if (of == realm_class::completion && how == send_end::delivered)
    return false;
  return before;
}

bool expires(realm_class of, const std::optional<stored_time>& expires_at,
             stored_time now, bool left_open) noexcept {
  if (!expires_at || now < *expires_at)
    return false;
  return of != realm_class::completion || !left_open;
}

} // namespace weir::policy
