#pragma once

#include "schema/realm.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// Whether `text` is what `pattern` says, in which `*` stands for any
/// characters, none included. The time is bounded by the product of both
/// lengths.
[[nodiscard]] bool matches_pattern(std::string_view pattern,
                                   std::string_view text) noexcept;

/// Whether one of `patterns` matches the realm.
[[nodiscard]] bool matches_any(const std::vector<std::string>& patterns,
                               const realm_id& realm) noexcept;

} // namespace weir
