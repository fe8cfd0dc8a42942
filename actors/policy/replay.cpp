#include "actors/policy/replay.hpp"

#include <algorithm>

namespace weir::policy {

std::vector<int64_t> next_letters(std::span<const int64_t> named, int64_t after,
                                  size_t most) {
  std::vector<int64_t> next;
  for (const auto id : named)
    if (id > after)
      next.push_back(id);
  std::ranges::sort(next);
  next.erase(std::unique(next.begin(), next.end()), next.end());
  next.resize(std::min(next.size(), most));
  return next;
}

size_t letters_taken(std::span<const uint64_t> sizes, queue_fill held,
                     const queue_bounds& bounds) {
  size_t taken = 0;
  for (const auto bytes : sizes) {
    if (is_full(held, bounds))
      break;
    held.elements += 1;
    held.bytes += bytes;
    ++taken;
  }
  return taken;
}

} // namespace weir::policy
