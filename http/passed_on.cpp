#include "http/passed_on.hpp"

#include <algorithm>

namespace weir {

passed_on_bounds passed_on_bounds_for(size_t connections_max) {
  const auto in_all = std::max<size_t>(connections_max / 2, 1);
  return {std::clamp<size_t>(in_all / 2, 1, passed_on_per_bridge_max), in_all};
}

passed_on::place passed_on::enter(const appservice_id& bridge) {
  const std::lock_guard guard{shared_->mutex};
  if (shared_->under_way >= shared_->bounds.in_all)
    return nullptr;
  auto& at = shared_->doors[bridge];
  if (at.under_way >= shared_->bounds.per_bridge)
    return nullptr;
  ++at.under_way;
  ++shared_->under_way;
  return {shared_.get(),
          [state = shared_, bridge](const void*) { state->leave(bridge); }};
}

void passed_on::waited_in_vain(const appservice_id& bridge, instant now) {
  const std::lock_guard guard{shared_->mutex};
  shared_->doors[bridge].silent_until = now + silence_remembered;
}

void passed_on::answered(const appservice_id& bridge) {
  const std::lock_guard guard{shared_->mutex};
  const auto found = shared_->doors.find(bridge);
  if (found == shared_->doors.end())
    return;
  found->second.silent_until = {};
  shared_->drop_if_unused(bridge);
}

bool passed_on::is_silent(const appservice_id& bridge, instant now) const {
  const std::lock_guard guard{shared_->mutex};
  const auto found = shared_->doors.find(bridge);
  return found != shared_->doors.end() && now < found->second.silent_until;
}

void passed_on::state::leave(const appservice_id& bridge) {
  const std::lock_guard guard{mutex};
  --doors[bridge].under_way;
  --under_way;
  drop_if_unused(bridge);
}

/// Under the lock.
void passed_on::state::drop_if_unused(const appservice_id& bridge) {
  const auto found = doors.find(bridge);
  if (found->second.under_way == 0 && found->second.silent_until == instant{})
    doors.erase(found);
}

} // namespace weir
