#pragma once

#include "schema/realm.hpp"
#include "schema/realm_limits.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::policy {

/// How an event of one kind is treated.
struct event_treatment {
  realm_class importance = realm_class::progress;
  coalesce_rule rule;
};

/// The preset `boxel`: what each kind of `app.boxel.realm-event` is, told by
/// `eventName` and `indexType`. Nothing for a kind that it does not know.
///
/// | eventName, indexType | class | merges |
/// |---|---|---|
/// | index, incremental-index-initiation | progress | replace |
/// | update | progress | unite added, updated, removed |
/// | index, incremental or full or copy | completion | never |
/// | prerender_html | lossy | never |
[[nodiscard]] std::optional<event_treatment>
boxel_treatment(std::string_view content);

/// Cuts the list of strings `field` of a content that is too large into parts,
/// in order, each with all other members as they are (E13). One part when it
/// fits. Nothing when the list is not there, or no cut makes all parts fit, or
/// more than `limits::realm_split_parts_max` would be needed.
[[nodiscard]] std::optional<std::vector<std::string>>
split_content(std::string_view content, std::string_view field,
              size_t bytes_max = limits::realm_content_bytes_max);

} // namespace weir::policy
