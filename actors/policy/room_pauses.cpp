#include "actors/policy/room_pauses.hpp"

#include <algorithm>

namespace weir::policy {

namespace {

constexpr uint32_t failures_alone = 2;
constexpr size_t others_for_failures = 1;
constexpr size_t others_for_limits = 3;

} // namespace

void room_pauses::on_answered(const room_id& room) {
  ++answers_;
  auto at = std::find_if(answered_last_.begin(), answered_last_.end(),
                         [&](const auto& each) { return each.first == room; });
  if (at == answered_last_.end())
    at = answered_last_.end() - 1;
  std::move_backward(answered_last_.begin(), at, at + 1);
  answered_last_.front() = {room, answers_};
  if (const auto known = sick_.find(room); known != sick_.end()) {
    waiting_.erase({known->second.ready_at, room});
    sick_.erase(known);
  }
}

/// Whether so many rooms were answered since the last failure. The room itself
/// is none of them: its answer would have made it well.
bool room_pauses::others_answered(const state& since, size_t rooms) const {
  return answered_last_.at(rooms - 1).second > since.answers_before;
}

bool room_pauses::on_overloaded(const room_id& room, instant started,
                                instant now, std::optional<milliseconds> asked,
                                double random_01) {
  auto* const of = find_or_add(room);
  if (!of)
    return false;
  ++of->failures;
  of->is_alone = of->is_alone
    || (of->failures >= failures_alone
        && others_answered(*of, others_for_failures));
  of->answers_before = answers_;
  if (of->is_alone)
    pause(room, *of, started, now, asked, random_01);
  return of->is_alone;
}

bool room_pauses::on_limited(const room_id& room, instant started, instant now,
                             std::optional<milliseconds> asked,
                             double random_01) {
  auto* const of = find_or_add(room);
  if (!of)
    return false;
  ++of->limited;
  const bool is_alone
    = of->limited >= failures_alone && others_answered(*of, others_for_limits);
  of->answers_before = answers_;
  if (is_alone)
    pause(room, *of, started, now, asked, random_01);
  return is_alone;
}

void room_pauses::on_retry(const room_id& room, instant started, instant now,
                           std::optional<milliseconds> asked,
                           double random_01) {
  if (auto* const of = find_or_add(room))
    pause(room, *of, started, now, asked, random_01);
}

void room_pauses::wait_until(const room_id& room, instant until) {
  auto* const of = find_or_add(room);
  if (of && until > of->ready_at)
    set_ready(room, *of, until);
}

instant room_pauses::ready_at(const room_id& room) const {
  const auto at = sick_.find(room);
  return at == sick_.end() ? instant::min() : at->second.ready_at;
}

std::vector<room_id> room_pauses::take_ready(instant now) {
  std::vector<room_id> ready;
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    ready.push_back(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
  }
  return ready;
}

std::optional<instant> room_pauses::next_ready() const {
  if (waiting_.empty())
    return std::nullopt;
  return waiting_.begin()->first;
}

std::vector<room_id> room_pauses::slow(size_t count) const {
  std::vector<room_id> rooms;
  for (const auto& [room, of] : sick_)
    if (of.is_alone && rooms.size() < count)
      rooms.push_back(room);
  return rooms;
}

room_pauses::state* room_pauses::find_or_add(const room_id& room) {
  if (const auto at = sick_.find(room); at != sick_.end())
    return &at->second;
  if (sick_.size() >= rooms_max)
    return nullptr;
  return &sick_.emplace(room, state{.pause = backoff{bounds_}}).first->second;
}

void room_pauses::set_ready(const room_id& room, state& of, instant at) {
  waiting_.erase({of.ready_at, room});
  of.ready_at = at;
  waiting_.emplace(at, room);
}

void room_pauses::pause(const room_id& room, state& of, instant started,
                        instant now, std::optional<milliseconds> asked,
                        double random_01) {
  of.pause.on_refused(started, now, asked, random_01);
  asked_until_ = std::max(asked_until_, of.pause.peer_asked_until());
  set_ready(room, of, std::max(of.ready_at, of.pause.ready_at()));
}

} // namespace weir::policy
