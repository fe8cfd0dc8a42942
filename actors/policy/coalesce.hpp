#pragma once

#include "schema/realm.hpp"
#include "schema/realm_limits.hpp"
#include "schema/time.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::policy {

/// A realm event, as far as merging goes by it.
struct mergeable_event {
  std::string_view type;
  realm_class importance = realm_class::progress;
  coalesce_rule rule;
  std::string_view content; ///< A checked JSON object.
  /// Its own target rooms; nothing when it goes to the realm's audience.
  std::optional<std::vector<room_id>> rooms;
  std::optional<stored_time> expires_at; ///< Nothing: never.
};

/// The last queued event of a realm.
struct queued_tail {
  mergeable_event event;
  /// It is queued, has no bound audience, and none of its sends was ever tried:
  /// no transaction id stands for its content (Q16, D4).
  bool is_untouched = false;
};

/// What the tail becomes.
struct merged_event {
  std::string content;
  std::optional<stored_time> expires_at; ///< The later of the two.
};

/// What the tail becomes when `incoming` merges into it, or nothing when
/// `incoming` has to stand behind it. Asked about the tail alone, so no event
/// moves past another (Q14).
///
/// Both must have the same rule, type, class and target rooms. `replace` takes
/// the new content. `unite` joins the lists of strings that the rule names,
/// each string once, the older first; every other member must be there in both
/// with the same bytes. A string that would then stand in two lists, as in
/// added and removed, makes it stand behind, since its order would be lost
/// (E15). So does a result of more than `bytes_max`.
///
/// The tail keeps its place and its age: what it tells has waited since it came
/// (ADR 0029). Bytes that are not changed are kept as they came.
[[nodiscard]] std::optional<merged_event>
merge_into(const queued_tail& tail, const mergeable_event& incoming,
           size_t bytes_max = limits::realm_content_bytes_max);

} // namespace weir::policy
