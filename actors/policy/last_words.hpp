#pragma once

#include "schema/element.hpp"
#include "schema/limits.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Device lists, one-time-key counts and fallback key types: whole values of
/// top-level keys, of which only the last word on each user or device matters.
/// Source: R22 of the appservice rules, MSC3202.
namespace weir::policy {

/// A value that is owed and not pinned.
struct owed_value {
  lane kind = lane::device_lists;
  std::string_view keys;  ///< As `element::keys`.
  std::string_view bytes; ///< Raw JSON value.
  bool alone = false;     ///< Its transaction is joined with no other.
};

/// What becomes of a value that came in.
struct merged_value {
  struct rewritten {
    size_t index = 0; ///< Of the owed value.
    std::string bytes;
    friend bool operator==(const rewritten&, const rewritten&) = default;
  };
  std::vector<rewritten> owed; ///< Values that hold some of its words now.
  std::string rest; ///< To be owed behind all others; empty when nothing is.
};

/// Puts the words of a value into those that are owed already.
///
/// A word is a user of a device list, which is in `changed` or in `left`, or a
/// device of a user with its value, an empty list included. It takes the place
/// of the last one on the same subject, and stands at that place's turn: known
/// earlier it does no harm, and key counts that come late leave a bridge
/// without keys. New words join the newest value of the key, up to `bytes_max`.
///
/// Values whose shape is not the specified one, or whose key has an escape, or
/// which are `alone`, are left as they are, and nothing is put in front of
/// them. What nothing was put together with keeps its bytes.
///
/// @param owed Oldest first, of any lane and key.
/// @param kind `lane::device_lists` or `lane::key_counts`.
[[nodiscard]] merged_value
merge_value(lane kind, std::string_view keys, std::string_view bytes,
            std::span<const owed_value> owed,
            size_t bytes_max = limits::merged_value_bytes_max);

} // namespace weir::policy
