#include "actors/policy/turns.hpp"

#include <utility>

namespace weir::policy {

void turns::use(const std::vector<appservice_id>& list) {
  std::deque<appservice_id> next;
  if (begun_)
    next.push_back(std::move(waiting_.front()));
  const std::set<appservice_id> still{waiting_.begin() + (begun_ ? 1 : 0),
                                      waiting_.end()};
  for (const auto& id : list)
    if (!known_.contains(id) || still.contains(id))
      next.push_back(id);
  waiting_ = std::move(next);
  known_ = {list.begin(), list.end()};
}

void turns::finish() {
  begun_ = false;
  waiting_.pop_front();
}

} // namespace weir::policy
