#include "actors/policy/realm_store_rules.hpp"

#include "actors/policy/send_verdict.hpp"

#include <algorithm>

namespace weir::policy {

namespace {

uint64_t bound_for(realm_class of, uint64_t bound, double reserve) noexcept {
  if (of == realm_class::completion)
    return bound;
  const auto kept = static_cast<double>(bound) * std::clamp(reserve, 0.0, 1.0);
  return bound - static_cast<uint64_t>(kept);
}

} // namespace

uint64_t bytes_over(realm_class of, uint64_t bytes, uint64_t realm_bytes,
                    const realm_admission::bounds& bounds) noexcept {
  const auto bound = bound_for(of, bounds.realm_bytes, bounds.reserve);
  const auto sum = realm_bytes + bytes;
  return realm_bytes > 0 && sum > bound ? sum - bound : 0;
}

bound_passed passes_bound(realm_class of, uint64_t bytes,
                          const stored_bytes& stored,
                          const realm_admission::bounds& bounds) noexcept {
  if (bytes_over(of, bytes, stored.realm, bounds) > 0)
    return bound_passed::realm;
  const auto bound = bound_for(of, bounds.all_bytes, bounds.reserve);
  if (stored.all > 0 && stored.all + bytes > bound)
    return bound_passed::all;
  return bound_passed::none;
}

send_outcome ends_unsent(const send_condition& send, stored_time now) noexcept {
  if (is_uncertain(send.bound_at, now))
    return send_outcome::uncertain;
  if (send.is_cancelled && !send.may_be_stored)
    return send_outcome::cancelled;
  if (send.has_lost_subscription)
    return send_outcome::unsubscribed;
  if (send.is_suspended)
    return send_outcome::skipped;
  return send_outcome::none;
}

bool is_dead_letter(send_outcome how) noexcept {
  return how == send_outcome::failed || how == send_outcome::uncertain
    || how == send_outcome::not_joined;
}

send_end end_of(send_outcome how, bool may_be_stored) noexcept {
  if (how == send_outcome::delivered)
    return send_end::delivered;
  return how == send_outcome::uncertain || may_be_stored ? send_end::uncertain
                                                         : send_end::not_sent;
}

} // namespace weir::policy
