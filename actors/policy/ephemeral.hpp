#pragma once

#include "schema/limits.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Typing, receipts and presence: what is worth having late, and what is not.
/// Source: R22, E4 of the appservice rules.
namespace weir::policy {

/// How the lanes other than events of one appservice are kept.
struct lane_rules {
  milliseconds typing_age{limits::typing_age_default};
  milliseconds ephemeral_age{limits::ephemeral_age_default}; ///< Of the rest.
  /// Elements that wait at most, beyond those that are pinned.
  uint64_t waiting_max = limits::ephemeral_waiting_default;
  /// Writes ephemeral elements under both spellings of their key.
  bool mirror = false;
  friend bool operator==(const lane_rules&, const lane_rules&) = default;
};
BOOST_DESCRIBE_STRUCT(lane_rules, (),
                      (typing_age, ephemeral_age, waiting_max, mirror))

/// What one ephemeral element says of whom.
///
/// | `type` | subject | words |
/// |---|---|---|
/// | `m.typing` | the room | one: who types is said anew each time |
/// | `m.presence` | the sender | one |
/// | `m.receipt` | the room | one for each type, user and thread |
///
/// Elements under other keys are of other subjects. Of any other type, and of a
/// shape that is not the specified one, `words` is empty: such an element says
/// something that nothing later replaces.
struct ephemeral_content {
  uint64_t subject = 0; ///< Hash; 0 where there are no words.
  std::vector<std::string> words;
  bool is_typing = false;
};

/// @param keys As `element::keys`.
/// @param bytes One JSON value.
[[nodiscard]] ephemeral_content read_ephemeral(std::string_view keys,
                                               std::string_view bytes);

/// Which of the elements say nothing that a later one does not say anew: these
/// need not be delivered. Element by element, so that what is kept keeps its
/// bytes.
/// @param oldest_first In the order in which they came.
[[nodiscard]] std::vector<bool>
said_again(std::span<const ephemeral_content> oldest_first);

/// Whether an element that was accepted at `at` is not worth sending any more.
[[nodiscard]] bool too_old(const ephemeral_content& what, stored_time at,
                           stored_time now, const lane_rules& rules);

/// How many of the oldest have to go for the rest to be within the bounds.
/// @param oldest Bytes of the oldest, oldest first; perhaps not of all.
/// @param count All that there are; `bytes` is what they come to.
[[nodiscard]] size_t beyond_bounds(std::span<const uint64_t> oldest,
                                   uint64_t count, uint64_t bytes,
                                   uint64_t count_max, uint64_t bytes_max);

} // namespace weir::policy
