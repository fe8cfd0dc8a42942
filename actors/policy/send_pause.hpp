#pragma once

#include "actors/policy/backoff.hpp"

#include <optional>

namespace weir::policy {

/// How long sends to one peer wait: the account, or the homeserver (D6).
///
/// After a pause one probe goes, and others only when it has been answered. One
/// episode counts once: what was sent before the latest pause neither doubles
/// nor ends it, and adds no pause of our own; only what such an answer asked
/// for is kept to (Q26, Q28). Any verdict on the probe ends the episode.
///
/// A new one is half-open: a restart has not seen how the peer is.
///
/// Not thread-safe; owned by one pacer.
class send_pause {
public:
  explicit send_pause(backoff::limits bounds) : pause_{bounds} {
  }

  /// From the next refusal on.
  void use_limits(backoff::limits bounds) {
    pause_.use_limits(bounds);
  }

  /// Whether a send may start: no pause lasts, and no probe is out.
  [[nodiscard]] bool may_start(instant now) const noexcept {
    return now >= ready_at() && !(half_open_ && probe_is_out_);
  }

  /// The next send is a probe: it should go to a room that last answered.
  [[nodiscard]] bool is_half_open() const noexcept {
    return half_open_;
  }

  /// A send starts. @return Whether it is the probe: whoever ends it says so.
  [[nodiscard]] bool start() noexcept;

  /// It was refused: 429 or no verdict. @param asked See `backoff::on_refused`.
  void on_refused(instant started, instant now,
                  std::optional<milliseconds> asked, double random_01,
                  bool was_probe);

  /// A person has to act. Probed every `hold`, so that it ends by itself.
  void on_held(instant started, instant now, std::optional<milliseconds> asked,
               double random_01, bool was_probe);

  /// It had a verdict, good or bad. @param asked Waited for all the same.
  void on_answered(instant started, instant now,
                   std::optional<milliseconds> asked, double random_01,
                   bool was_probe);

  /// It ended and tells nothing of this peer: the next send is the probe.
  void on_nothing(bool was_probe) noexcept;

  /// An operator's word: our own pause is over, the peer's too if forced. What
  /// comes is a probe.
  void resume(instant now, bool forced);

  /// Takes up a stored pause, see `backoff::restore`. Half-open after it.
  void restore(instant now, milliseconds remaining, bool by_peer);

  [[nodiscard]] instant ready_at() const noexcept;
  [[nodiscard]] bool peer_asked(instant now) const noexcept {
    return pause_.peer_asked(now);
  }
  /// Something is wrong that no waiting mends; alarm.
  [[nodiscard]] bool is_held() const noexcept {
    return held_;
  }

  static constexpr milliseconds hold{300'000};

private:
  void shut(instant now, bool was_probe);

  backoff pause_;
  instant paused_at_ = instant::min();
  instant held_until_ = instant::min();
  bool half_open_ = true;
  bool probe_is_out_ = false;
  bool held_ = false;
};

} // namespace weir::policy
