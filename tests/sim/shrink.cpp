#include "tests/sim/shrink.hpp"

#include <algorithm>
#include <numeric>

namespace weir::sim {

namespace {

kept_lines without(const kept_lines& lines, size_t from, size_t count) {
  kept_lines result{lines.begin(),
                    lines.begin() + static_cast<std::ptrdiff_t>(from)};
  const auto behind = std::min(from + count, lines.size());
  result.insert(result.end(),
                lines.begin() + static_cast<std::ptrdiff_t>(behind),
                lines.end());
  return result;
}

} // namespace

plan only(const plan& of, const kept_lines& lines) {
  auto result = of;
  result.entries.clear();
  for (const auto line : lines)
    if (line < of.entries.size())
      result.entries.push_back(of.entries[line]);
  return result;
}

kept_lines all_lines(const plan& of) {
  kept_lines lines(of.entries.size());
  std::iota(lines.begin(), lines.end(), size_t{0});
  return lines;
}

kept_lines shrink(const plan& of, kept_lines lines,
                  const std::function<bool(const plan&)>& still_fails,
                  size_t tries_max) {
  for (size_t part = (lines.size() + 1) / 2; part > 0;) {
    bool smaller = false;
    for (size_t from = 0; from < lines.size();) {
      if (tries_max == 0)
        return lines;
      --tries_max;
      auto fewer = without(lines, from, part);
      if (still_fails(only(of, fewer))) {
        lines = std::move(fewer);
        smaller = true;
      } else {
        from += part;
      }
    }
    // Once nothing can go alone, nothing can go.
    part = part == 1 && smaller ? 1 : part / 2;
  }
  return lines;
}

} // namespace weir::sim
