#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// Lines up cells in columns two spaces apart; the first row is the heading.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// `text` fit for a terminal: control characters, which may come from a bridge,
/// are shown as `?`, and beyond `columns_max` characters it is cut.
std::string printable(std::string_view text, size_t columns_max);

/// A time span in its two largest units: `3d 4h`, `2m 5s`, `900ms`; `-` when it
/// is not above zero.
std::string show_span(int64_t ms);

/// `12`, `4.0 kB`, `1.5 MB`.
std::string show_bytes(uint64_t bytes);

} // namespace weir
