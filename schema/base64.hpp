#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// Base64 of RFC 4648, section 4 (the standard alphabet), with padding.
std::string to_base64(std::string_view bytes);

/// Base64 of RFC 4648, section 5 (the alphabet of URLs), without padding.
std::string to_base64url(std::string_view bytes);

/// The bytes, or nothing when `text` is not exactly what `to_base64url` makes
/// of them: one spelling for each value, so that no two texts are one token.
std::optional<std::string> from_base64url(std::string_view text);

} // namespace weir
