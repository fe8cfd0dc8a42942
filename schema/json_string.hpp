#pragma once

#include <string>
#include <string_view>

namespace weir {

/// The string that the JSON string content `raw` (checked, without quotes)
/// stands for. An escape of a lone surrogate becomes its three bytes by the
/// UTF-8 scheme, so that different strings stay different; whoever needs valid
/// UTF-8 asks `holds_lone_surrogate` of the result.
std::string unescape_json(std::string_view raw);

/// Whether unescaped text holds a surrogate and so is not UTF-8.
bool holds_lone_surrogate(std::string_view unescaped) noexcept;

} // namespace weir
