#pragma once

#include "schema/time.hpp"

#include <boost/describe/class.hpp>

#include <optional>

namespace weir::policy {

/// How long an appservice stays paused while it is overloaded or away.
///
/// One overload episode costs one step, however many sends were in flight when
/// it began: an outcome counts only if its send started after the last pause
/// was set. The step doubles with each refusal that counts.
///
/// What the peer asked for (Retry-After) and what we chose are kept apart: a
/// ping ends our own pause and never the peer's. The next send may start when
/// both are over. Jitter only ever lengthens: it is part of our own pause, so
/// that nothing is sent before the moment a peer named (guarantee G7).
///
/// Not thread-safe; owned by one appservice actor. Takes every time and random
/// number from the caller. Source: R20 of the appservice rules.
class backoff {
public:
  struct limits {
    milliseconds first{1'000};     ///< First step. > 0.
    milliseconds ceiling{300'000}; ///< Longest step. >= first.
    /// A pause lasts up to this share longer than its step. >= 0.
    double jitter{0.2};
    friend bool operator==(const limits&, const limits&) = default;
  };

  explicit backoff(limits bounds);

  /// Records a refusal (429, 5xx, no answer) of a send that began at `started`.
  /// @param peer_asked What the peer asked for, counted from `now`, capped by
  /// `policy::retry_after`.
  /// @param random_01 Evenly from 0 to 1; decides the jitter.
  void on_refused(instant started, instant now,
                  std::optional<milliseconds> peer_asked, double random_01);

  /// Records a verdict on the content: no overload, so no step and no pause of
  /// our own, only what the peer asked for. The step stays, so that a bridge
  /// that rejects all it is given is paced more and more.
  void on_verdict(instant now, std::optional<milliseconds> peer_asked,
                  double random_01);

  /// Records a success; ends the episode and our own pause unless the send
  /// predates the pause.
  void on_accepted(instant started);

  /// Ends our own pause: the peer showed that it is alive, or an operator said
  /// so. What the peer asked for stays. The step stays too, so that a bridge
  /// that answers pings and refuses transactions is still paced.
  void end_own_pause(instant now);

  /// From the next refusal on; the pause in force stays as it is.
  void use_limits(limits bounds);

  /// Ends every pause, the peer's too. Only for an operator who insists.
  void end_every_pause(instant now);

  /// Takes up a pause from before a restart or a take-over. The step goes on
  /// from what is left of our own pause, without what may be jitter: it would
  /// grow by that with each restart.
  /// @param remaining Until the stored `not_before`; cut to the longest pause
  /// this class can set, since the stored clock may have been put back.
  /// @param by_peer What `peer_asked` said when it was stored.
  void restore(instant now, milliseconds remaining, bool by_peer);

  /// The earliest instant the next send may start; in the past when no pause
  /// is in force.
  [[nodiscard]] instant ready_at() const noexcept;

  /// Whether a pause that the peer asked for is in force, so that ending our
  /// own would not do. A pause that is partly the peer's is stored as wholly
  /// the peer's: that errs on the side of waiting.
  [[nodiscard]] bool peer_asked(instant now) const noexcept {
    return now < peer_until_;
  }

  /// When what the peer asked for is over.
  [[nodiscard]] instant peer_asked_until() const noexcept {
    return peer_until_;
  }

private:
  [[nodiscard]] milliseconds without_jitter(milliseconds pause) const;
  [[nodiscard]] milliseconds jittered(milliseconds pause,
                                      double random_01) const;

  limits bounds_;
  milliseconds step_{0}; ///< Zero means: no episode is running.
  instant paused_at_{};
  instant own_until_{};
  instant peer_until_{};
};

BOOST_DESCRIBE_STRUCT(backoff::limits, (), (first, ceiling, jitter))

} // namespace weir::policy
