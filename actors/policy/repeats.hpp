#pragma once

#include <boost/describe/enum.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weir::policy {

/// What one generation of a homeserver's transaction id stood for. Ids come
/// back with other contents where a homeserver's counter starts anew; each such
/// content is a generation.
struct remembered_transaction {
  uint32_t generation = 0;
  std::vector<uint64_t> event_hashes; ///< Of all its events, in order.
  /// Of every non-event part that was stored for it; never 0.
  std::vector<uint64_t> non_event_hashes;
};

/// What a transaction is to what was seen under its id.
enum class repeat_kind : uint8_t {
  first_seen,          ///< Store all.
  duplicate,           ///< Store nothing; answer as if stored.
  non_event_part_only, ///< Store all but the events, in this generation.
  new_generation,      ///< Store all, in a new generation; warn and count.
};
BOOST_DESCRIBE_ENUM(repeat_kind, first_seen, duplicate, non_event_part_only,
                    new_generation)

/// The enumerator's name.
std::string_view to_string(repeat_kind of) noexcept;

/// What to store of a transaction, and under which generation.
struct repeat_decision {
  repeat_kind kind = repeat_kind::first_seen;
  /// The generation to write, or that it is a duplicate of.
  uint32_t generation = 0;
  friend bool operator==(const repeat_decision&, const repeat_decision&)
    = default;
};

/// Tells a homeserver's retry from an id that is used again.
///
/// A retry may lack events that were purged meanwhile, and what is not an event
/// is often sent with the first try alone; so neither the id nor a hash of the
/// whole can tell. "Known" below means: the events are a subsequence of a
/// remembered generation's (an empty list is one of any), or the non-event
/// part's hash was stored for this id in any generation.
///
/// | remembered | events | non-event part | decision |
/// |---|---|---|---|
/// | nothing | any | any | first_seen, generation 0 |
/// | something | known or none | none | duplicate |
/// | something | known or none | known | duplicate |
/// | something | known | new | non_event_part_only |
/// | something | none | new | new_generation |
/// | something | others, or in another order, or more | any | new_generation |
///
/// Where several generations fit, the newest is named, before others one that
/// knows the non-event part too. A new generation has the highest number yet
/// plus one.
///
/// @param past Every generation of this id of this appservice, in any order.
/// @param non_event_hash 0 when there is nothing but events.
/// Source: R3 of the appservice rules, as amended.
[[nodiscard]] repeat_decision
compare_with_past(std::span<const remembered_transaction> past,
                  std::span<const uint64_t> event_hashes,
                  uint64_t non_event_hash);

} // namespace weir::policy
