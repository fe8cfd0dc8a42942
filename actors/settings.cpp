#include "actors/settings.hpp"

#include <unordered_map>

namespace weir {

std::set<appservice_id> changed_queues(const house_settings& before,
                                       const house_settings& now) {
  std::unordered_map<appservice_id, const queue_settings*> known;
  for (const auto& queue : before.queues)
    known.emplace(queue.id, &queue);
  std::set<appservice_id> changed;
  for (const auto& queue : now.queues)
    if (const auto found = known.find(queue.id);
        found == known.end() || !(*found->second == queue))
      changed.insert(queue.id);
  return changed;
}

std::vector<appservice_id> with_url(const house_settings& settings) {
  std::vector<appservice_id> result;
  for (const auto& queue : settings.queues)
    if (!queue.peer.url.empty())
      result.push_back(queue.id);
  return result;
}

} // namespace weir
