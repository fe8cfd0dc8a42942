#pragma once

#include "schema/ids.hpp"

#include <atomic>
#include <unordered_map>
#include <vector>

namespace weir {

/// What is known at the door of each bridge: written by the actors, read by the
/// listener before it reads a body. Hints: the store decides, and an old hint
/// costs a wait or a body read in vain.
class bridge_board {
public:
  explicit bridge_board(const std::vector<appservice_id>& appservices) {
    for (const auto& id : appservices)
      bridges_.try_emplace(id);
  }

  /// The last send found no connection: the listener waits less for it (D6).
  void set_unreachable(const appservice_id& id, bool unreachable) {
    if (const auto found = bridges_.find(id); found != bridges_.end())
      found->second.unreachable = unreachable;
  }
  [[nodiscard]] bool is_unreachable(const appservice_id& id) const {
    const auto found = bridges_.find(id);
    return found != bridges_.end() && found->second.unreachable;
  }

  /// Its queue is at its bound: requests wait outside, unread (R23).
  void set_full(const appservice_id& id, bool full) {
    if (const auto found = bridges_.find(id); found != bridges_.end())
      found->second.full = full;
  }
  [[nodiscard]] bool is_full(const appservice_id& id) const {
    const auto found = bridges_.find(id);
    return found != bridges_.end() && found->second.full;
  }

private:
  struct flags {
    std::atomic<bool> unreachable{false};
    std::atomic<bool> full{false};
  };
  std::unordered_map<appservice_id, flags> bridges_;
};

} // namespace weir
