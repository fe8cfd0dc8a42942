#include "actors/policy/send_pause.hpp"

#include <algorithm>
#include <utility>

namespace weir::policy {

namespace {

/// Spreads the accounts that were held by one fault.
constexpr double hold_jitter = 0.2;

} // namespace

bool send_pause::start() noexcept {
  if (!half_open_)
    return false;
  return !std::exchange(probe_is_out_, true);
}

void send_pause::on_nothing(bool was_probe) noexcept {
  if (was_probe)
    probe_is_out_ = false;
}

void send_pause::shut(instant now, bool was_probe) {
  on_nothing(was_probe);
  paused_at_ = now;
  half_open_ = true;
}

void send_pause::on_refused(instant started, instant now,
                            std::optional<milliseconds> asked, double random_01,
                            bool was_probe) {
  if (started <= paused_at_) {
    on_nothing(was_probe);
    pause_.on_verdict(now, asked, random_01);
    half_open_ = half_open_ || pause_.peer_asked(now);
    return;
  }
  shut(now, was_probe);
  pause_.on_refused(started, now, asked, random_01);
}

void send_pause::on_held(instant started, instant now,
                         std::optional<milliseconds> asked, double random_01,
                         bool was_probe) {
  pause_.on_verdict(now, asked, random_01);
  on_nothing(was_probe);
  if (started <= paused_at_)
    return;
  shut(now, false);
  const auto extra = hold_jitter * std::clamp(random_01, 0.0, 1.0)
    * static_cast<double>(hold.count());
  held_until_
    = now + hold + milliseconds{static_cast<milliseconds::rep>(extra)};
  held_ = true;
}

void send_pause::on_answered(instant started, instant now,
                             std::optional<milliseconds> asked,
                             double random_01, bool was_probe) {
  on_nothing(was_probe);
  if (started > paused_at_) {
    pause_.on_accepted(started);
    held_until_ = std::min(held_until_, now);
    held_ = false;
    half_open_ = false;
  }
  pause_.on_verdict(now, asked, random_01);
  half_open_ = half_open_ || pause_.peer_asked(now);
}

void send_pause::resume(instant now, bool forced) {
  if (forced)
    pause_.end_every_pause(now);
  else
    pause_.end_own_pause(now);
  held_until_ = std::min(held_until_, now);
  // What starts at this very moment is later than the pause.
  paused_at_ = std::min(paused_at_, now - instant::duration{1});
}

void send_pause::restore(instant now, milliseconds remaining, bool by_peer) {
  pause_.restore(now, remaining, by_peer);
  half_open_ = true;
}

instant send_pause::ready_at() const noexcept {
  return std::max(pause_.ready_at(), held_until_);
}

} // namespace weir::policy
