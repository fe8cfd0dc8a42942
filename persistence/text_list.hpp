#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// Texts as one: each as its length in bytes, a colon, and itself. What they
/// hold does not matter.
std::string pack_texts(const std::vector<std::string>& texts);

/// Nothing when it was not made by `pack_texts`.
std::optional<std::vector<std::string>> unpack_texts(std::string_view packed);

} // namespace weir
