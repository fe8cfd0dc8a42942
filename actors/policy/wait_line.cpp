#include "actors/policy/wait_line.hpp"

#include <utility>

namespace weir::policy {

bool wait_line::join(uint64_t ticket, uint64_t seen, instant until) {
  if (waiting_.size() >= waits_max_)
    return false;
  waiting_.push_back({ticket, seen, until});
  return true;
}

std::vector<uint64_t> wait_line::take(uint64_t committed, instant now,
                                      size_t looks_max) {
  std::vector<uint64_t> taken;
  std::deque<waiter> stay;
  size_t looks = 0;
  for (const auto& each : waiting_) {
    const bool is_news = each.seen != committed && looks < looks_max;
    if (now < each.until && !is_news) {
      stay.push_back(each);
      continue;
    }
    looks += now < each.until ? 1 : 0;
    taken.push_back(each.ticket);
  }
  waiting_ = std::move(stay);
  return taken;
}

std::vector<uint64_t> wait_line::take_all() {
  std::vector<uint64_t> taken;
  for (const auto& each : std::exchange(waiting_, {}))
    taken.push_back(each.ticket);
  return taken;
}

} // namespace weir::policy
