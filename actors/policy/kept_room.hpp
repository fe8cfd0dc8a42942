#pragma once

#include <cstdint>

/// How much may still be kept aside: dead letters and quarantined bodies have a
/// bound for all appservices together, and none of them may use up the room of
/// the others. Source: R18 and R23 of the appservice rules.
namespace weir::policy {

/// Bytes that are kept now.
struct kept_fill {
  uint64_t all = 0; ///< Of all appservices together.
  uint64_t own = 0; ///< Of the one that asks.
};

/// Bytes that one appservice may add: no more than is left of `bound`, and no
/// more than half of `bound` in all.
[[nodiscard]] uint64_t kept_room(kept_fill held, uint64_t bound);

/// The same for what a full queue puts aside to take in the newest: all such
/// appservices together leave half of `bound` to those that have single
/// elements refused.
[[nodiscard]] uint64_t overflow_room(kept_fill held, uint64_t bound);

} // namespace weir::policy
