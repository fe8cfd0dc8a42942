#include "tests/sim/watched_store.hpp"

#include <algorithm>

// What is seen of a batch.
namespace weir::sim {

bool is_pinned(const queue_row& queue, lane kind, uint64_t seq) {
  return queue.pinned
    && std::any_of(queue.pinned->lanes.begin(), queue.pinned->lanes.end(),
                   [&](const auto& range) {
                     return range.kind == kind && seq >= range.first
                       && seq <= range.last;
                   });
}

bool batch_content::pins(const queue_row& row) const {
  const auto before = pins_before.find(row.id.value);
  return row.pinned
    && (before == pins_before.end() || before->second != row.pinned->id);
}

std::set<store_step> batch_content::steps() const {
  std::set<store_step> result;
  if (appended && ends.empty()) // An end may pin what has waited.
    result.insert(store_step::accept);
  if (!ends.empty())
    result.insert(store_step::settle);
  if (saved && !appended && ends.empty())
    result.insert(store_step::pause);
  if (locked && !saved)
    result.insert(store_step::load);
  if (result.empty())
    result.insert(store_step::other);
  return result;
}

} // namespace weir::sim
