#pragma once

#include "schema/ids.hpp"

#include <atomic>
#include <unordered_map>
#include <vector>

namespace weir {

/// Which bridges could not be connected to at the last try: written by their
/// queues, read by the listener, which then waits less for them (D6). A hint:
/// nothing is refused because of it.
class reachability {
public:
  explicit reachability(const std::vector<appservice_id>& appservices) {
    for (const auto& id : appservices)
      unreachable_.try_emplace(id, false);
  }

  void set_unreachable(const appservice_id& id, bool unreachable) {
    if (const auto found = unreachable_.find(id); found != unreachable_.end())
      found->second = unreachable;
  }

  [[nodiscard]] bool is_unreachable(const appservice_id& id) const {
    const auto found = unreachable_.find(id);
    return found != unreachable_.end() && found->second;
  }

private:
  std::unordered_map<appservice_id, std::atomic<bool>> unreachable_;
};

} // namespace weir
