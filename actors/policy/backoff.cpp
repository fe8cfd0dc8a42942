#include "actors/policy/backoff.hpp"

#include "schema/error.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <cmath>

namespace weir::policy {

namespace {

/// Enough to spread the bridges behind one proxy that named one moment to all;
/// more would only keep a bridge waiting that said when it is ready.
constexpr milliseconds peer_jitter_max{5'000};

} // namespace

backoff::backoff(limits bounds) {
  use_limits(bounds);
}

void backoff::use_limits(limits bounds) {
  WEIR_ASSERT(bounds.first > milliseconds{0});
  WEIR_ASSERT(bounds.ceiling >= bounds.first);
  WEIR_ASSERT(bounds.jitter >= 0);
  bounds_ = bounds;
}

void backoff::on_refused(instant started, instant now,
                         std::optional<milliseconds> peer_asked,
                         double random_01) {
  if (step_ == milliseconds{0})
    step_ = bounds_.first;
  else if (started > paused_at_)
    step_ = std::min(step_ * 2, bounds_.ceiling);
  paused_at_ = now;
  own_until_ = std::max(own_until_, now + jittered(step_, random_01));
  on_verdict(now, peer_asked, random_01);
}

void backoff::on_verdict(instant now, std::optional<milliseconds> peer_asked,
                         double random_01) {
  if (!peer_asked || *peer_asked <= milliseconds{0})
    return;
  const auto until = now + *peer_asked;
  peer_until_ = std::max(peer_until_, until);
  const auto spread = jittered(*peer_asked, random_01) - *peer_asked;
  own_until_ = std::max(own_until_, until + std::min(spread, peer_jitter_max));
}

void backoff::on_accepted(instant started) {
  if (started <= paused_at_)
    return;
  step_ = milliseconds{0};
  own_until_ = std::min(own_until_, started);
}

void backoff::end_own_pause(instant now) {
  own_until_ = std::min(own_until_, now);
  // The next send may start at this very moment, since time may stand still in
  // a handler: it is later than the pause all the same.
  paused_at_ = std::min(paused_at_, now - instant::duration{1});
}

void backoff::end_every_pause(instant now) {
  end_own_pause(now);
  peer_until_ = std::min(peer_until_, now);
}

void backoff::restore(instant now, milliseconds remaining, bool by_peer) {
  if (remaining <= milliseconds{0})
    return;
  const auto longest = jittered(
    std::max(bounds_.ceiling, milliseconds{weir::limits::retry_after_max}), 1);
  const auto until = now + std::min(remaining, longest);
  paused_at_ = now;
  step_ = by_peer
    ? bounds_.first
    : std::clamp(without_jitter(remaining), bounds_.first, bounds_.ceiling);
  auto& pause = by_peer ? peer_until_ : own_until_;
  pause = std::max(pause, until);
}

instant backoff::ready_at() const noexcept {
  return std::max(own_until_, peer_until_);
}

/// The least step that may have become such a pause.
milliseconds backoff::without_jitter(milliseconds pause) const {
  const auto step = static_cast<double>(pause.count()) / (1 + bounds_.jitter);
  return milliseconds{static_cast<milliseconds::rep>(step)};
}

milliseconds backoff::jittered(milliseconds pause, double random_01) const {
  const auto share = bounds_.jitter * std::clamp(random_01, 0.0, 1.0);
  const auto extra = std::ceil(static_cast<double>(pause.count()) * share);
  return pause + milliseconds{static_cast<milliseconds::rep>(extra)};
}

} // namespace weir::policy
