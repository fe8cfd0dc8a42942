#include "actors/policy/pacer.hpp"

#include "schema/error.hpp"
#include "schema/limits.hpp"

#include <boost/describe/enum_to_string.hpp>

#include <algorithm>
#include <cmath>

namespace weir::policy {

namespace {

/// Of slots and starts, one in so many stays with realm events.
constexpr uint32_t bulk_share = 8;

} // namespace

std::string_view to_string(pace_limit of) noexcept {
  return boost::describe::enum_to_string(of, "unknown");
}

pacer::pacer(const pace_limits& limits, instant now)
  : limits_{limits},
    tokens_{limits.sends_per_second, now},
    turns_{limits.in_flight},
    account_{limits.pause},
    homeserver_{limits.pause},
    rooms_{limits.room_pause},
    retries_{limits.sends_per_second, static_cast<double>(limits.in_flight),
             now},
    adaptive_{now},
    noted_at_{now} {
}

void pacer::use_limits(const pace_limits& limits, instant now) {
  limits_ = limits;
  if (!limits.adaptive)
    adaptive_ = adaptive_limit{now};
  share_ = limits.adaptive ? adaptive_.share(now) : 1;
  tokens_.use_rate(limits.sends_per_second * share_, now);
  turns_.use_slots(slots());
  retries_.use(limits.sends_per_second, static_cast<double>(limits.in_flight),
               now);
  account_.use_limits(limits.pause);
  homeserver_.use_limits(limits.pause);
  rooms_.use_limits(limits.room_pause);
}

uint32_t pacer::slots() const noexcept {
  const auto share
    = std::floor(static_cast<double>(limits_.in_flight) * share_);
  return std::max<uint32_t>(1, static_cast<uint32_t>(share));
}

void pacer::adapt(instant now) {
  const auto share = limits_.adaptive ? adaptive_.share(now) : 1;
  if (share == share_)
    return;
  share_ = share;
  tokens_.use_rate(limits_.sends_per_second * share_, now);
  turns_.use_slots(slots());
}

bool pacer::may_start(instant now) const noexcept {
  return account_.may_start(now) && homeserver_.may_start(now);
}

instant pacer::paused_until() const noexcept {
  return std::max(account_.ready_at(), homeserver_.ready_at());
}

pace pacer::next_start(instant now) {
  for (const auto& room : rooms_.take_ready(now))
    turns_.open(room);
  adapt(now);
  auto next = decide(now);
  // A room that waits may be the first that could go.
  const auto opens = rooms_.next_ready();
  if (!next.start && turns_.any_offered() && opens)
    next.wake_at = std::min(next.wake_at.value_or(*opens), *opens);
  note(next.limited_by, now);
  return next;
}

pace pacer::decide(instant now) {
  pace next;
  if (!turns_.any_offered())
    return next;
  if (!turns_.any_ready(send_class::timed)
      && !turns_.any_ready(send_class::interactive)
      && !turns_.any_ready(send_class::bulk)) {
    next.limited_by
      = turns_.any_passed_over() ? pace_limit::cap : pace_limit::rooms;
    return next;
  }
  if (!may_start(now)) {
    next.limited_by = pace_limit::pause;
    if (paused_until() > now)
      next.wake_at = paused_until();
    return next;
  }
  if (const auto chosen = choose(now, next)) {
    next.start = grant(*chosen);
    next.limited_by = pace_limit::none;
  }
  return next;
}

/// Whether a class that goes before realm events has a slot left for it.
bool pacer::takes_precedence(send_class of) const {
  return turns_.any_ready(of)
    && ahead_in_flight_ < slots() - slots() / bulk_share;
}

/// Takes the token. Nothing, and `why`, when no class may start.
std::optional<send_class> pacer::choose(instant now, pace& why) {
  why.limited_by = pace_limit::cap;
  if (open_.size() >= slots())
    return std::nullopt;
  const bool has_bulk = turns_.any_ready(send_class::bulk);
  const bool bulk_is_due = has_bulk && ahead_in_row_ >= bulk_share - 1;
  const bool has_timed = takes_precedence(send_class::timed);
  const bool has_interactive = takes_precedence(send_class::interactive);
  if (bulk_is_due && tokens_.take(now))
    return send_class::bulk;
  if (has_timed) {
    tokens_.overdraw(now);
    return send_class::timed;
  }
  if (!has_interactive && !has_bulk)
    return std::nullopt;
  if (tokens_.take(now))
    return has_interactive ? send_class::interactive : send_class::bulk;
  why.limited_by = pace_limit::rate;
  why.wake_at = now + tokens_.wait(now);
  return std::nullopt;
}

permit pacer::grant(send_class of) {
  fair_turns::preference well;
  if (account_.is_half_open() || homeserver_.is_half_open())
    well = [this](const room_id& room) { return rooms_.is_well(room); };
  auto taken = turns_.next(of, well);
  WEIR_ASSERT(taken.has_value());
  open_send open{*taken, account_.start(), homeserver_.start(), {}};
  const bool is_ahead = of != send_class::bulk;
  ahead_in_flight_ += is_ahead ? 1 : 0;
  ahead_in_row_
    = is_ahead && turns_.any_ready(send_class::bulk) ? ahead_in_row_ + 1 : 0;
  open_.emplace(++last_permit_, std::move(open));
  return {last_permit_, taken->source, taken->room};
}

begin_result pacer::begin(uint64_t permit, const room_id& room, instant now) {
  auto& open = open_.at(permit);
  WEIR_ASSERT(!open.begun);
  const bool is_late = now < paused_until()
    || (account_.is_half_open() && !open.probes_account)
    || (homeserver_.is_half_open() && !open.probes_homeserver);
  const bool has_room = !open.of.room.value.empty();
  const bool is_free
    = has_room || (!is_late && turns_.settle_on(open.of, room));
  if (is_late || !is_free) {
    give_back(permit, now);
    return is_late ? begin_result::paused : begin_result::busy;
  }
  open.begun = now;
  return begin_result::go;
}

void pacer::give_back(uint64_t permit, instant now) {
  const auto at = open_.find(permit);
  WEIR_ASSERT(at != open_.end());
  const auto open = std::move(at->second);
  open_.erase(at);
  account_.on_nothing(open.probes_account);
  homeserver_.on_nothing(open.probes_homeserver);
  tokens_.give_back(now);
  if (open.of.source.priority != send_class::bulk)
    --ahead_in_flight_;
  turns_.undo(open.of);
}

void pacer::settled(uint64_t permit, const send_outcome& outcome, instant now,
                    double random_01) {
  const auto at = open_.find(permit);
  WEIR_ASSERT(at != open_.end() && at->second.begun);
  const auto open = std::move(at->second);
  open_.erase(at);
  if (open.of.source.priority != send_class::bulk)
    --ahead_in_flight_;
  apply(open, outcome, now, random_01);
  if (!outcome.is_retried)
    retries_.on_answered();
  else if (const auto retry_at = retries_.reserve(now); retry_at > now)
    rooms_.wait_until(open.of.room, retry_at);
  close_while_waiting(open.of.room, now);
  turns_.finish(open.of);
}

void pacer::close_while_waiting(const room_id& room, instant now) {
  if (rooms_.ready_at(room) > now)
    turns_.close(room);
  else
    turns_.open(room);
}

void pacer::answered(const open_send& of, const send_outcome& outcome,
                     instant now, double random_01) {
  account_.on_answered(*of.begun, now, outcome.asked, random_01,
                       of.probes_account);
  homeserver_.on_answered(*of.begun, now, {}, random_01, of.probes_homeserver);
  adaptive_.on_answered(*of.begun, now);
}

void pacer::apply(const open_send& of, const send_outcome& outcome, instant now,
                  double random_01) {
  const auto& room = of.of.room;
  const auto& asked = outcome.asked;
  switch (outcome.effect) {
  case pause_effect::none:
    rooms_.on_answered(room);
    return answered(of, outcome, now, random_01);
  case pause_effect::room:
    rooms_.on_retry(room, *of.begun, now, asked, random_01);
    return answered(of, {}, now, random_01);
  case pause_effect::limited:
    homeserver_.on_nothing(of.probes_homeserver);
    if (rooms_.on_limited(room, *of.begun, now, asked, random_01))
      return account_.on_nothing(of.probes_account);
    adaptive_.on_refused(*of.begun, now);
    return account_.on_refused(*of.begun, now, asked, random_01,
                               of.probes_account);
  case pause_effect::overloaded:
    account_.on_nothing(of.probes_account);
    if (rooms_.on_overloaded(room, *of.begun, now, asked, random_01))
      return homeserver_.on_nothing(of.probes_homeserver);
    adaptive_.on_refused(*of.begun, now);
    return homeserver_.on_refused(*of.begun, now, asked, random_01,
                                  of.probes_homeserver);
  case pause_effect::account_held:
    homeserver_.on_answered(*of.begun, now, {}, random_01,
                            of.probes_homeserver);
    return account_.on_held(*of.begun, now, asked, random_01,
                            of.probes_account);
  case pause_effect::homeserver_held:
    account_.on_nothing(of.probes_account);
    return homeserver_.on_held(*of.begun, now, asked, random_01,
                               of.probes_homeserver);
  case pause_effect::unknown: break;
  }
  account_.on_nothing(of.probes_account);
  homeserver_.on_nothing(of.probes_homeserver);
}

void pacer::resume(instant now, bool forced) {
  account_.resume(now, forced);
  homeserver_.resume(now, forced);
}

void pacer::restore(instant now, milliseconds remaining, bool by_peer) {
  account_.restore(now, remaining, by_peer);
  kept_.holds(now + remaining, by_peer);
}

std::optional<pacer::pause_to_keep> pacer::to_keep(instant now) const {
  const auto until = std::max(paused_until(), rooms_.asked_until());
  const auto rest = until > now ? std::chrono::ceil<milliseconds>(until - now)
                                : milliseconds{0};
  const bool by_peer = account_.peer_asked(now) || homeserver_.peer_asked(now)
    || now < rooms_.asked_until();
  const bool must_last = by_peer || rest >= weir::limits::own_pause_stored_from;
  if (!kept_.must_write(now, until, by_peer, must_last))
    return {};
  return pause_to_keep{rest, by_peer, until};
}

void pacer::kept(const pause_to_keep& what, bool is_done) {
  if (is_done)
    kept_.holds(what.until, what.by_peer);
  else
    kept_.may_hold(what.until);
}

void pacer::note(pace_limit by, instant now) {
  auto& total = limited_for_.at(static_cast<size_t>(limited_by_));
  total += std::max(now - noted_at_, instant::duration{0});
  noted_at_ = now;
  limited_by_ = by;
}

milliseconds pacer::limited_for(pace_limit by) const {
  return std::chrono::floor<milliseconds>(
    limited_for_.at(static_cast<size_t>(by)));
}

} // namespace weir::policy
