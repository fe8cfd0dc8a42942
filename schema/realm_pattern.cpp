#include "schema/realm_pattern.hpp"

#include <algorithm>

namespace weir {

bool matches_pattern(std::string_view pattern, std::string_view text) noexcept {
  size_t p = 0;
  size_t t = 0;
  auto star = std::string_view::npos;
  size_t taken = 0; // Up to here the last star has eaten.
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool matches_any(const std::vector<std::string>& patterns,
                 const realm_id& realm) noexcept {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& each) {
    return matches_pattern(each, realm.value);
  });
}

} // namespace weir
