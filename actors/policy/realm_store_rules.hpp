#pragma once

#include "actors/policy/realm_admission.hpp"
#include "actors/policy/realm_expiry.hpp"
#include "schema/realm.hpp"
#include "schema/realm_send.hpp"
#include "schema/time.hpp"

#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string_view>

/// What is decided of realms inside a commit, by the rows alone.
namespace weir::policy {

/// What an event with this content takes of the bounds.
[[nodiscard]] constexpr uint64_t
queued_bytes(std::string_view content) noexcept {
  return content.size() + weir::limits::realm_event_overhead_bytes;
}

/// Bytes of events that are not over, as the store counts them.
struct stored_bytes {
  uint64_t realm = 0;
  uint64_t all = 0;
};

/// Which bound an event would pass.
enum class bound_passed : uint8_t { none, realm, all };
BOOST_DESCRIBE_ENUM(bound_passed, none, realm, all)

/// The same bounds as those of `realm_admission`, which may have forgotten what
/// another node took in: none when there is room, or nothing is queued at all.
/// @param bytes Of the event, its overhead included.
[[nodiscard]] bound_passed
passes_bound(realm_class of, uint64_t bytes, const stored_bytes& stored,
             const realm_admission::bounds& bounds) noexcept;

/// By how much; 0 when it does not pass the realm's bound.
[[nodiscard]] uint64_t
bytes_over(realm_class of, uint64_t bytes, uint64_t realm_bytes,
           const realm_admission::bounds& bounds) noexcept;

/// What holds for a bound send whose turn it is.
struct send_condition {
  stored_time bound_at;
  bool may_be_stored = false;
  bool is_cancelled = false; ///< Its event, or its realm.
  /// It was bound by a subscription, which ended, or began anew since.
  bool has_lost_subscription = false;
  bool is_suspended = false; ///< The subscription rests.
};

/// How it ends instead of being sent; `none`: it is sent. What may have arrived
/// is not cancelled: the homeserver's answer is still to be had.
[[nodiscard]] send_outcome ends_unsent(const send_condition& send,
                                       stored_time now) noexcept;

/// Whether an outcome leaves something that can be begun anew by hand.
[[nodiscard]] bool is_dead_letter(send_outcome how) noexcept;

/// What an outcome means for what the room was told.
[[nodiscard]] send_end end_of(send_outcome how, bool may_be_stored) noexcept;

} // namespace weir::policy
