#include "actors/policy/realm_lanes.hpp"

#include "schema/error.hpp"

#include <algorithm>
#include <utility>

namespace weir::policy {

head_step next_head_step(const unbound_head& head, const realm_condition& realm,
                         stored_time now) noexcept {
  if (realm.is_halted || realm.is_binding)
    return head_step::wait;
  if (head.targets == 0)
    return now < head.completes_from ? head_step::wait : head_step::complete;
  if (realm.ordering == realm_ordering::realm)
    return realm.unsettled == 0 ? head_step::bind : head_step::wait;
  const bool may_bind
    = head.has_free_target && realm.unsettled < limits::unsettled_sends_max;
  return may_bind ? head_step::bind : head_step::wait;
}

size_t bind_rows(uint64_t targets, uint64_t written) noexcept {
  const auto left = targets > written ? targets - written : 0;
  const auto most
    = written == 0 ? limits::bind_rows_first : limits::bind_rows_more;
  return static_cast<size_t>(std::min<uint64_t>(left, most));
}

bool realm_lanes::is_full() const noexcept {
  return lanes_.size() - std::min(asleep_.size(), asleep_max) >= window_;
}

bool realm_lanes::add(const lane_head& head) {
  if (const auto at = lanes_.find(head.room); at != lanes_.end()) {
    at->second.has_more = at->second.has_more || head.seq != at->second.seq;
    return true;
  }
  if (is_full()) {
    more_ = true;
    return false;
  }
  lanes_[head.room] = {head.seq, head.has_more, false, false, {}};
  return true;
}

bool realm_lanes::wants_more() const noexcept {
  const auto awake = lanes_.size() - std::min(asleep_.size(), asleep_max);
  return more_ && awake <= window_ / 2;
}

std::vector<room_id> realm_lanes::known() const {
  std::vector<room_id> rooms;
  rooms.reserve(lanes_.size());
  for (const auto& each : lanes_)
    rooms.push_back(each.first);
  return rooms;
}

void realm_lanes::wake(lane& of, const room_id& room) {
  if (of.asleep_until)
    asleep_.erase({*of.asleep_until, room});
  of.asleep_until.reset();
}

std::vector<room_id> realm_lanes::to_offer(instant now) {
  while (!asleep_.empty() && asleep_.begin()->first <= now) {
    const auto room = asleep_.begin()->second;
    wake(lanes_.at(room), room);
  }
  // The older the event, the sooner: lanes are offered in the order of seqs.
  std::vector<std::pair<uint64_t, room_id>> found;
  for (auto& [room, of] : lanes_) {
    const bool has_next = !of.in_flight || of.has_more;
    if (!has_next || of.offered || of.asleep_until)
      continue;
    of.offered = true;
    found.emplace_back(of.seq, room);
  }
  std::sort(found.begin(), found.end());
  std::vector<room_id> rooms;
  rooms.reserve(found.size());
  for (auto& each : found)
    rooms.push_back(std::move(each.second));
  return rooms;
}

std::optional<instant> realm_lanes::next_wake() const {
  if (asleep_.empty())
    return std::nullopt;
  return asleep_.begin()->first;
}

std::optional<uint64_t> realm_lanes::start(const room_id& room) {
  const auto at = lanes_.find(room);
  if (at == lanes_.end() || at->second.in_flight || at->second.asleep_until)
    return std::nullopt;
  at->second.in_flight = true;
  at->second.offered = false;
  return at->second.seq;
}

bool realm_lanes::given_back(const room_id& room) {
  const auto at = lanes_.find(room);
  if (at == lanes_.end())
    return true;
  at->second.in_flight = false;
  at->second.offered = true;
  return false;
}

bool realm_lanes::retried(const room_id& room, instant ready_at, instant now) {
  auto& of = lanes_.at(room);
  WEIR_ASSERT(of.in_flight);
  of.in_flight = false;
  if (ready_at <= now)
    return false;
  of.asleep_until = ready_at;
  asleep_.emplace(ready_at, room);
  return std::exchange(of.offered, false);
}

bool realm_lanes::settled(const room_id& room,
                          const std::optional<lane_head>& next) {
  const auto at = lanes_.find(room);
  WEIR_ASSERT(at != lanes_.end() && at->second.in_flight);
  if (!next) {
    const bool is_offered = at->second.offered;
    lanes_.erase(at);
    return is_offered;
  }
  // An older event may be there again: its dead letters were begun anew.
  WEIR_ASSERT(next->room == room);
  at->second.seq = next->seq;
  at->second.has_more = next->has_more;
  at->second.in_flight = false;
  return false;
}

bool realm_lanes::dropped(const room_id& room) {
  const auto at = lanes_.find(room);
  if (at == lanes_.end())
    return false;
  const bool is_offered = std::exchange(at->second.offered, false);
  wake(at->second, room);
  at->second.has_more = false;
  if (!at->second.in_flight)
    lanes_.erase(at);
  return is_offered;
}

size_t realm_lanes::in_flight() const noexcept {
  return static_cast<size_t>(
    std::count_if(lanes_.begin(), lanes_.end(),
                  [](const auto& each) { return each.second.in_flight; }));
}

} // namespace weir::policy
