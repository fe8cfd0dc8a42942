#pragma once

#include "schema/element.hpp"
#include "schema/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weir::policy {

/// What one outgoing transaction may hold at most.
struct plan_bounds {
  size_t events = limits::transaction_events_max;
  size_t ephemeral = limits::transaction_ephemeral_max;
  size_t to_device = limits::transaction_to_device_max;
  /// Of the rendered body, framing included.
  size_t bytes = limits::transaction_bytes_default;
};

/// One owed element as the planner sees it: everything but its bytes.
struct plan_item {
  uint64_t seq = 0;
  uint64_t came_with = 0; ///< Same number: same homeserver transaction.
  bool alone = false;     ///< Its transaction had unknown top-level keys.
  lane kind = lane::event;
  /// Top-level keys it goes out under, as `element::keys`; empty for events.
  std::string_view keys;
  size_t bytes = 0; ///< Of the raw JSON value; rendered once for each key.
};

/// How many of the oldest owed elements go into the next transaction.
///
/// The answer is an unbroken prefix, so that order is kept and a pin is a pair
/// of seqs per lane. Its first element always goes, however large; every
/// further one only while the counts and the rendered bytes stay within
/// `bounds`. The prefix ends before an element that
/// - would claim a top-level key a second time, where one of the two holds the
///   key's whole value (device lists, key counts, unknown keys);
/// - or came in another transaction, where one of the two is `alone`.
///
/// A key spelled with an escape counts as `alone`: two spellings of one key
/// cannot be told apart without decoding them.
///
/// @param owed Oldest first, in order of seq. May be the first page of more: a
/// longer page never makes the answer smaller.
/// @return At least 1 when `owed` is not empty.
/// Source: R6, R15, R16 of the appservice rules.
[[nodiscard]] size_t plan_transaction(std::span<const plan_item> owed,
                                      const plan_bounds& bounds);

} // namespace weir::policy
