#include "schema/limits.hpp"
#include "schema/transaction.hpp"
#include "tests/sim/lane_ledger.hpp"
#include "tests/sim/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

// What leaves for a bridge, when, and how it ends.
namespace weir::sim {

namespace {

/// From the moment at which a queue may move to its send; all that lies between
/// takes no virtual time but a retry after a failed store.
constexpr milliseconds promptness{1'000};
/// What may be added to a wish so that bridges are spread.
constexpr milliseconds wish_spread_max{5'000};
/// Content is not given up, nor cut, for less.
constexpr size_t rejections_min = 3;
constexpr size_t hangs_min = 5;
/// Doubled so often, any pause is at its ceiling.
constexpr size_t steps_to_ceiling = 30;

} // namespace

/// Why an id may be given up and its elements go out under others. One refusal
/// is enough for what is known to hold a bad element.
bool ledger::had_cause(const bridge_state& to, const transaction_state& of) {
  return of.too_big > 0 || looks_bad(to, of);
}

bool ledger::looks_bad(const bridge_state& to, const transaction_state& of) {
  const bool is_suspect
    = std::all_of(of.elements.begin(), of.elements.end(),
                  [&](uint64_t no) { return to.elements.at(no).suspect; });
  return of.rejections >= (is_suspect ? 1 : rejections_min)
    || of.hangs >= (is_suspect ? 1 : hangs_min);
}

/// Not what was cut for its size alone.
void ledger::suspect(bridge_state& to, const transaction_state& of) {
  if (!looks_bad(to, of))
    return;
  for (const auto no : of.elements)
    to.elements.at(no).suspect = true;
}

void ledger::sent(size_t bridge, const std::string& id, std::string_view body,
                  milliseconds at) {
  auto& to = bridges_[bridge];
  ++tick_;
  if (++to.open > 1)
    report("one in flight", fmt::format("{} beside {}", id, to.current));
  check_halted(to, id);
  check_moments(to, id, at);
  forget_idle(to, at);
  check_successor(to, id);
  take_in(to, id, body);
  check_age(to, id);
  to.current = id;
}

void ledger::asked(size_t bridge, milliseconds at) {
  auto& to = bridges_[bridge];
  ++to.asked;
  check_halted(to, "a ping");
  if (at < to.wished_until)
    report("as the bridge asked",
           fmt::format("a ping {} ms early", (to.wished_until - at).count()));
}

void ledger::check_moments(bridge_state& to, const std::string& id,
                           milliseconds at) {
  if (at < to.wished_until)
    report("as the bridge asked",
           fmt::format("{} {} ms early", id, (to.wished_until - at).count()));
  if (at < to.own_until)
    report("backs off",
           fmt::format("{} {} ms early", id, (to.own_until - at).count()));
  check_moved(to, at);
}

/// An id ends before the next one begins, and stays ended.
void ledger::check_successor(bridge_state& to, const std::string& id) {
  const auto known = to.transactions.find(id);
  if (known != to.transactions.end() && known->second.ended)
    report("ended for good", fmt::format("{} was sent after its end", id));
  if (to.current.empty() || to.current == id)
    return;
  if (!to.transactions.at(to.current).ended)
    report("ended for good",
           fmt::format("{} was sent while {} was not ended", id, to.current));
}

ledger::transaction_state* ledger::take_in(bridge_state& to,
                                           const std::string& id,
                                           std::string_view body) {
  auto [found, is_new] = to.transactions.try_emplace(id);
  auto& known = found->second;
  if (!is_new) {
    if (known.body != body)
      report("pinned bytes", fmt::format("{} was sent with other bytes", id));
    return &known;
  }
  known.body = body;
  known.first_tick = tick_;
  const auto content = slice_transaction(body);
  if (!content) {
    report("unchanged", fmt::format("{} is no transaction", id));
    return &known;
  }
  check_bounds(to, id, content.value(), body.size());
  for (const auto& item : content.value().elements) {
    if (lane_ledger::is_here(item.kind))
      continue;
    const auto no = number_in(item.bytes);
    const auto offered = to.elements.find(no);
    if (offered == to.elements.end()) {
      report("invented", fmt::format("{} holds element {}", id, no));
      continue;
    }
    known.elements.push_back(no);
    if (offered->second.kind != item.kind
        || !offered->second.forms.contains(item.keys + '\n' + item.bytes))
      report("unchanged", fmt::format("element {} in {}", no, id));
  }
  return &known;
}

void ledger::check_bounds(const bridge_state& to, const std::string& id,
                          const incoming_transaction& content, size_t bytes) {
  std::array<size_t, 6> counts{};
  for (const auto& item : content.elements)
    ++counts.at(static_cast<size_t>(item.kind));
  if (counts[0] > to.rules.events_max || counts[1] > to.rules.ephemeral_max
      || counts[2] > to.rules.to_device_max)
    report("bounds",
           fmt::format("{} holds {} events, {} ephemeral, {} to "
                       "device",
                       id, counts[0], counts[1], counts[2]));
  if (bytes > to.rules.bytes_max && content.elements.size() > 1)
    report("bounds", fmt::format("{} has {} bytes", id, bytes));
}

void ledger::closed(size_t bridge, const std::string& id, ending how,
                    milliseconds wish, milliseconds at, bool heard) {
  auto& to = bridges_[bridge];
  auto& done = to.transactions.at(id);
  ++tick_;
  --to.open;
  to.moved = std::max(to.moved, at);
  to.closed_at = at;
  switch (how) {
  case ending::accepted: done.accepted = true; break;
  case ending::rejected: ++done.rejections; break;
  case ending::too_big: ++done.too_big; break;
  case ending::hang: ++done.hangs; break;
  case ending::refused:
  case ending::given_up: break;
  case ending::cut: return; // No word of the bridge: the same goes again.
  }
  // Who sent it may be gone, and may tell who came back under its name.
  pause(to, how, wish, at, heard && done.first_tick >= to.removed_tick);
  if (std::exchange(to.no_own_pause, false)) {
    to.own_until = milliseconds{0};
    to.sure_refusals = 0;
  }
}

/// What the answer means for the next send: not before `wished_until` and
/// `own_until`, not after `rests_until`.
void ledger::pause(bridge_state& to, ending how, milliseconds wish,
                   milliseconds at, bool heard) {
  if (how == ending::accepted) {
    to.sure_refusals = 0;
    return;
  }
  const auto step = [&](size_t refusals) {
    const auto doubled
      = std::ldexp(static_cast<double>(to.rules.pause_first.count()),
                   static_cast<int>(std::min<size_t>(refusals - 1, 30)));
    return std::min(
      to.rules.pause_ceiling,
      milliseconds{static_cast<int64_t>(std::min(doubled, 1e12))});
  };
  ++to.refusals;
  if (heard && (how == ending::refused || how == ending::hang)) {
    ++to.sure_refusals;
    to.own_until = at + step(to.sure_refusals);
  }
  const auto longest = milliseconds{static_cast<int64_t>(
    std::ceil(static_cast<double>(step(to.refusals).count())
              * (1 + to.rules.pause_jitter)))};
  wish = std::min<milliseconds>(wish, limits::retry_after_max);
  if (wish.count() > 0)
    to.rests_until = std::max(to.rests_until, at + wish + wish_spread_max);
  if (!heard)
    to.wish_perhaps_until = std::max(to.wish_perhaps_until, at + wish);
  if (heard && wish.count() > 0 && at + wish > to.wished_until) {
    to.wished_until = at + wish;
    to.wished_at = at;
  }
  to.rests_until = std::max(to.rests_until, at + longest);
  to.rested_ever = std::max(to.rested_ever, to.rests_until);
  if (wish.count() > 0) {
    to.wish_stored_until = to.rests_until;
    to.wish_ever = std::max(to.wish_ever, to.wish_stored_until);
  }
}

void ledger::ping_closed(size_t bridge, milliseconds at) {
  auto& to = bridges_[bridge];
  --to.asked;
  to.moved = std::max(to.moved, at);
}

void ledger::alive(size_t bridge, milliseconds at) {
  auto& to = bridges_[bridge];
  to.own_until = milliseconds{0};
  // Of an answer that came at the same moment the node may hear later.
  if (to.open > 0 || to.closed_at == at)
    return;
  if (to.alive_at < at)
    to.rested_until = std::max(to.rested_until, to.rests_until);
  to.alive_at = at;
  to.rests_until = std::max(
    {to.wished_until, to.wish_restored_until, to.wish_perhaps_until, at});
}

void ledger::served_anew(size_t bridge, milliseconds at) {
  auto& to = bridges_[bridge];
  alive(bridge, at);
  to.no_own_pause = to.open > 0;
}

void ledger::forget_alive(bridge_state& of) {
  of.rests_until = std::max(of.rests_until, of.rested_until);
}

/// An actor that had nothing to do is gone, and with it what it counted. The
/// pause itself is stored.
void ledger::forget_idle(bridge_state& of, milliseconds at) {
  const auto since = std::exchange(of.nothing_owed_since, std::nullopt);
  if (since && at - *since >= of.rules.idle_after)
    of.sure_refusals = 0;
}

void ledger::alive_unheard(milliseconds at) {
  for (auto& each : bridges_)
    if (each.alive_at >= at)
      forget_alive(each);
}

void ledger::ended(size_t bridge, const std::string& id,
                   const std::string& result) {
  auto& to = bridges_[bridge];
  const auto found = to.transactions.find(id);
  ++tick_;
  if (found == to.transactions.end())
    return report("ended for good", id + " ended before it was sent");
  check_cause(to, id, result);
  found->second.ended = true;
  if (result == "dead_letter")
    kept_aside(to, id, found->second);
  if (result == "retired")
    suspect(to, found->second);
  if (to.owed.empty())
    to.nothing_owed_since = to.moved;
  if (result != "delivered")
    return;
  ++delivered_;
  // Until this commit the stored pause would hold after a restart.
  to.refusals = 0;
  to.rests_until = std::max(to.wished_until, to.wish_perhaps_until);
}

void ledger::check_cause(const bridge_state& to, const std::string& id,
                         const std::string& result) {
  const auto& of = to.transactions.at(id);
  const bool is_given_up = of.skip_asked
    || (of.elements.size() <= 1 // None that are counted.
        && (of.too_big > 0 || of.rejections >= rejections_min
            || of.hangs >= hangs_min));
  const bool caused = result == "delivered" ? of.accepted
    : result == "retired"                   ? had_cause(to, of)
                                            : is_given_up;
  if (!caused)
    report("with cause",
           fmt::format("{} ended as {} after {} rejections, {} "
                       "too big, {} hangs",
                       id, result, of.rejections, of.too_big, of.hangs));
}

void ledger::crashed(milliseconds at, milliseconds stored_since) {
  ++tick_;
  for (auto& each : bridges_) {
    each.open = each.asked = 0;
    each.moved = std::max(each.moved, at);
  }
  memory_lost(at, stored_since);
}

void ledger::memory_lost(milliseconds at, milliseconds stored_since) {
  for (auto& each : bridges_)
    forget(each, at, stored_since);
}

void ledger::left(size_t bridge, milliseconds at, milliseconds stored_since) {
  auto& to = bridges_[bridge];
  forget(to, at, stored_since);
  to.no_own_pause = to.open > 0;
}

void ledger::forget(bridge_state& of, milliseconds at,
                    milliseconds stored_since) {
  // A wish is stored at once; whether it was, is not known if the store
  // failed meanwhile or this is the very moment.
  if (of.wished_at >= at || of.wished_at < stored_since)
    of.wished_until = milliseconds{0};
  if (of.alive_at >= at || of.alive_at < stored_since)
    forget_alive(of); // And that the own pause was over.
  of.wish_restored_until = of.wish_stored_until;
  of.own_until = milliseconds{0};
  of.sure_refusals = 0;
}

void ledger::wishes_lost() {
  for (auto& each : bridges_) {
    each.wished_until = milliseconds{0};
    // A pause that the clock made longer is taken up as a long step.
    each.refusals += steps_to_ceiling;
  }
}

void ledger::put_back(uint64_t mark, milliseconds at) {
  ++tick_;
  for (auto& each : bridges_) {
    each.current.clear();
    each.removed_tick = 0; // It is there again.
    each.moved = std::max(each.moved, at);
    each.rests_until = std::max(each.rests_until, each.rested_ever);
    each.wish_stored_until = each.wish_restored_until = each.wish_ever;
    for (auto& [id, known] : each.transactions) {
      known.ended = false;
      known.hangs = hangs_min; // It may come again, under another id.
    }
    each.last_of_offer.clear();
    for (auto& [no, known] : each.elements) {
      known.buried = known.buried && known.buried_tick <= mark;
      if (known.removed_tick > mark)
        known.processed |= known.was_processed; // The copy may know it.
      known.removed = false;
      known.offered_at = milliseconds{0};
      if (known.acknowledged_tick <= mark)
        continue;
      each.owed.erase({known.acknowledged_tick, no});
      known.acknowledged_tick = 0;
      known.required = false;
      // A dead letter that was put back since may be owed in its old place.
      known.first_offer_tick = 0;
    }
  }
  wishes_lost();
}

void ledger::upheaval(milliseconds until) {
  calm_from_ = std::max(calm_from_, until);
}

void ledger::check_moved(const bridge_state& of, milliseconds now) {
  const auto latest
    = std::max({of.moved, of.rests_until, calm_from_}) + promptness;
  if (!of.owed.empty() && of.asked == 0 && !of.perhaps_halted && now > latest)
    report("moves on",
           fmt::format("element {} waited {} ms for nothing",
                       of.owed.begin()->second,
                       (now - latest + promptness).count()));
}

void ledger::check_progress(milliseconds now) {
  for (const auto& each : bridges_)
    if (each.open == 0)
      check_moved(each, now);
}

} // namespace weir::sim
