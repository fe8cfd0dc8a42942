#include "http/cli/text_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace weir {

namespace {

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

/// Characters of UTF-8 text; good enough for the widths of a table.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(
    std::count_if(text.begin(), text.end(), begins_character));
}

} // namespace

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string table;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      table += row[i];
      if (i + 1 < row.size())
        table.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    table += '\n';
  }
  return table;
}

std::string printable(std::string_view text, size_t columns_max) {
  std::string shown;
  size_t columns = 0;
  for (const char c : text) {
    if (begins_character(c) && ++columns > columns_max)
      return shown + "…";
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return shown;
}

std::string show_span(int64_t ms) {
  struct unit {
    std::string_view name;
    int64_t ms;
  };
  constexpr std::array units{unit{"d", 86'400'000}, unit{"h", 3'600'000},
                             unit{"m", 60'000}, unit{"s", 1'000}};
  if (ms <= 0)
    return "-";
  for (size_t i = 0; i < units.size(); ++i) {
    const auto whole = ms / units[i].ms;
    if (whole == 0)
      continue;
    auto shown = fmt::format("{}{}", whole, units[i].name);
    const auto rest
      = i + 1 < units.size() ? ms % units[i].ms / units[i + 1].ms : 0;
    if (rest > 0)
      shown += fmt::format(" {}{}", rest, units[i + 1].name);
    return shown;
  }
  return fmt::format("{}ms", ms);
}

std::string show_bytes(uint64_t bytes) {
  constexpr std::array<std::string_view, 4> units{"kB", "MB", "GB", "TB"};
  if (bytes < 1'000)
    return fmt::format("{}", bytes);
  auto amount = static_cast<double>(bytes) / 1'000;
  size_t unit = 0;
  while (amount >= 1'000 && unit + 1 < units.size()) {
    amount /= 1'000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

} // namespace weir
