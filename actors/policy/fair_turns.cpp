#include "actors/policy/fair_turns.hpp"

#include "schema/error.hpp"

#include <algorithm>
#include <utility>

namespace weir::policy {

namespace {

/// Puts offers that have yet to find their room behind those of rooms.
constexpr uint64_t last_of_all = uint64_t{1} << 63;

} // namespace

void fair_turns::use_slots(uint32_t slots) {
  share_ = std::max<uint32_t>(1, slots / 2);
}

bool fair_turns::at_limit(const member& of) const noexcept {
  return of.in_flight >= share_;
}

bool fair_turns::must_pass(const member& of) const noexcept {
  return at_limit(of) && offering_ > 1;
}

fair_turns::member& fair_turns::enter(const turn_source& source) {
  const auto [known, is_new] = members_.try_emplace(source);
  auto& found = known->second;
  auto& at = level_of(found);
  if (is_new) {
    found.id = source;
    // Who has had its turn of this round waits for the next.
    found.tag = at.now + at.done.erase(source.id);
  }
  if (found.offers.empty()) {
    found.tag = std::max(found.tag, at.now);
    found.since = ++last_since_;
  }
  return found;
}

void fair_turns::leave_if_idle(member& of) {
  if (!of.offers.empty() || of.in_flight > 0)
    return;
  auto& at = level_of(of);
  if (of.tag > at.now)
    at.done.insert(of.id.id);
  members_.erase(of.id);
  if (members_.empty())
    for (auto& each : levels_)
      each.done.clear();
}

void fair_turns::leave_if_idle(place& of) {
  if (!of.busy && !of.closed && of.line.empty())
    rooms_.erase(room_id{*of.id});
}

fair_turns::place& fair_turns::find_or_add(const room_id& room) {
  const auto at = rooms_.try_emplace(room).first;
  at->second.id = &at->first;
  return at->second;
}

void fair_turns::grant(member& to, uint64_t offer, place* room) {
  if (to.granted.empty())
    level_of(to).ready.insert({to.tag, to.since, &to});
  to.granted.emplace(offer, room);
}

void fair_turns::revoke(member& from, uint64_t offer) {
  if (from.granted.erase(offer) > 0 && from.granted.empty())
    level_of(from).ready.erase({from.tag, from.since, &from});
}

/// Keeps a free room for whoever waits longest and may take a slot; when nobody
/// may, for whoever waits longest.
void fair_turns::keep_for_next(place& room) {
  if (room.kept_for)
    revoke(*room.kept_for, room.kept_offer);
  room.kept_for = nullptr;
  if (room.busy || room.closed || room.line.empty())
    return;
  auto chosen = std::find_if(
    room.line.begin(), room.line.end(),
    [this](const auto& each) { return !at_limit(*each.second); });
  if (chosen == room.line.end())
    chosen = room.line.begin();
  room.kept_for = chosen->second;
  room.kept_offer = chosen->first.second;
  grant(*room.kept_for, room.kept_offer, &room);
}

void fair_turns::add_offer(member& of, uint64_t offer, const room_id& room) {
  offering_ += of.offers.empty() ? 1 : 0;
  if (room.value.empty()) {
    of.offers.emplace(offer, nullptr);
    grant(of, offer, nullptr);
    return;
  }
  auto& where = find_or_add(room);
  of.offers.emplace(offer, &where);
  where.line.emplace(std::pair{of.id.priority, offer}, &of);
  keep_for_next(where);
}

void fair_turns::drop_offer(member& of, uint64_t offer) {
  const auto at = of.offers.find(offer);
  auto* const room = at->second;
  revoke(of, offer);
  of.offers.erase(at);
  offering_ -= of.offers.empty() ? 1 : 0;
  if (!room)
    return;
  room->line.erase({of.id.priority, offer});
  if (room->kept_for == &of && room->kept_offer == offer)
    room->kept_for = nullptr;
}

bool fair_turns::offer(const turn_source& source, const room_id& room) {
  auto& of = enter(source);
  const bool is_known
    = std::any_of(of.offers.begin(), of.offers.end(), [&](const auto& each) {
        return each.second ? *each.second->id == room : room.value.empty();
      });
  if (is_known)
    return true;
  if (of.offers.size() >= offers_max)
    return false;
  ++last_offer_;
  add_offer(of, room.value.empty() ? last_offer_ | last_of_all : last_offer_,
            room);
  return true;
}

void fair_turns::withdraw(const turn_source& source, const room_id& room) {
  const auto at = members_.find(source);
  if (at == members_.end())
    return;
  auto& of = at->second;
  const auto offer
    = std::find_if(of.offers.begin(), of.offers.end(), [&](const auto& each) {
        return each.second ? *each.second->id == room : room.value.empty();
      });
  if (offer == of.offers.end())
    return;
  auto* const where = offer->second;
  drop_offer(of, offer->first);
  if (where) {
    keep_for_next(*where);
    leave_if_idle(*where);
  }
  leave_if_idle(of);
}

void fair_turns::close(const room_id& room) {
  auto& where = find_or_add(room);
  where.closed = true;
  keep_for_next(where);
}

void fair_turns::open(const room_id& room) {
  const auto at = rooms_.find(room);
  if (at == rooms_.end())
    return;
  at->second.closed = false;
  keep_for_next(at->second);
  leave_if_idle(at->second);
}

std::optional<turn> fair_turns::next(send_class of, const preference& prefers) {
  const auto& ready = levels_.at(static_cast<size_t>(of)).ready;
  member* first = nullptr;
  for (const auto& [tag, since, candidate] : ready) {
    if (must_pass(*candidate))
      continue;
    if (!prefers)
      return take(*candidate, candidate->granted.begin()->first);
    first = first ? first : candidate;
    for (const auto& [offer, room] : candidate->granted)
      if (room && prefers(*room->id))
        return take(*candidate, offer);
  }
  if (!first)
    return std::nullopt;
  return take(*first, first->granted.begin()->first);
}

turn fair_turns::take(member& of, uint64_t offer) {
  auto* const room = of.offers.at(offer);
  turn taken{of.id,    room ? *room->id : room_id{},
             offer,    of.tag,
             of.since, last_since_ + 1};
  drop_offer(of, offer);
  if (room)
    room->busy = true;
  // A new tag is a new place among those that are ready.
  const auto granted = std::exchange(of.granted, {});
  auto& at = level_of(of);
  at.ready.erase({of.tag, of.since, &of});
  if (of.tag > at.now) {
    at.now = of.tag;
    at.done.clear();
  }
  of.tag = at.now + 1; // Waiting for rooms has earned no more than this turn.
  of.since = ++last_since_;
  for (const auto& [each, where] : granted)
    grant(of, each, where);
  ++of.in_flight;
  if (at_limit(of))
    hand_over_rooms(of);
  return taken;
}

/// It may start nothing for a while: others need not wait for it.
void fair_turns::hand_over_rooms(member& of) {
  const auto granted = of.granted;
  for (const auto& [offer, room] : granted)
    if (room)
      keep_for_next(*room);
}

bool fair_turns::settle_on(turn& of, const room_id& room) {
  WEIR_ASSERT(of.room.value.empty());
  const auto at = rooms_.find(room);
  if (at != rooms_.end()
      && (at->second.busy || at->second.closed || !at->second.line.empty()))
    return false;
  auto& where = find_or_add(room);
  where.busy = true;
  of.room = room;
  return true;
}

void fair_turns::finish(const turn& of) {
  auto& source = members_.at(of.source);
  WEIR_ASSERT(source.in_flight > 0);
  --source.in_flight;
  if (const auto at = rooms_.find(of.room); at != rooms_.end()) {
    at->second.busy = false;
    keep_for_next(at->second);
    leave_if_idle(at->second);
  }
  leave_if_idle(source);
}

void fair_turns::undo(const turn& of) {
  auto& source = members_.at(of.source);
  auto& at = level_of(source);
  const auto granted = std::exchange(source.granted, {});
  at.ready.erase({source.tag, source.since, &source});
  // Of several turns the last is the one that is not counted.
  const bool is_last = source.since == of.since_after;
  source.tag = is_last ? of.tag : source.tag - 1;
  if (is_last)
    source.since = of.since;
  for (const auto& [each, where] : granted)
    grant(source, each, where);
  const auto same = [&](const auto& each) {
    return each.second && *each.second->id == of.room;
  };
  const bool is_known
    = std::any_of(source.offers.begin(), source.offers.end(), same);
  if (of.offered != 0 && !of.room.value.empty() && !is_known)
    add_offer(source, of.offered, of.room);
  finish(of);
}

bool fair_turns::any_ready(send_class of) const {
  const auto& ready = levels_.at(static_cast<size_t>(of)).ready;
  return std::any_of(ready.begin(), ready.end(), [this](const auto& each) {
    return !must_pass(*std::get<member*>(each));
  });
}

bool fair_turns::any_passed_over() const {
  return std::any_of(levels_.begin(), levels_.end(),
                     [](const auto& each) { return !each.ready.empty(); });
}

uint32_t fair_turns::in_flight(const turn_source& source) const {
  const auto at = members_.find(source);
  return at == members_.end() ? 0 : at->second.in_flight;
}

size_t fair_turns::known() const {
  auto count = members_.size();
  for (const auto& each : levels_)
    count += each.done.size();
  return count;
}

} // namespace weir::policy
