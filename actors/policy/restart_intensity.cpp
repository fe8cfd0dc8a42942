#include "actors/policy/restart_intensity.hpp"

namespace weir::policy {

bool restart_intensity::allow(instant now) {
  while (!recent_.empty() && now - recent_.front() >= bounds_.within)
    recent_.pop_front();
  if (recent_.size() >= bounds_.restarts)
    return false;
  recent_.push_back(now);
  return true;
}

} // namespace weir::policy
