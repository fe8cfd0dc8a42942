#pragma once

#include "schema/time.hpp"

#include <string_view>

namespace weir::policy {

/// Slowest and fastest rate of sends, per second: one in a quarter of an hour,
/// which is the longest pause too, and more than any homeserver takes.
inline constexpr double send_rate_min = 1.0 / 900;
inline constexpr double send_rate_max = 100'000;

/// The rate that `text` names, else `fallback`: what is not wholly a positive
/// finite number never disables pacing (Q9). Cut to the bounds above.
[[nodiscard]] double send_rate(std::string_view text, double fallback) noexcept;

/// When sends may start: `max(1, rate)` tokens at most, refilled at `rate` a
/// second, one token a start. Empty at first, since a crash loop must not earn
/// a burst each time (Q3 to Q6, D2).
///
/// Delayed events may overdraw it by one bucket, and beyond that start free of
/// charge. While such a debt lasts an eighth of the refill is kept for others,
/// so that no debt stops them.
///
/// Times are of a monotonic clock; one that steps back refills nothing, and one
/// that leaps refills one bucket (E1). Counts in whole nanoseconds, so that no
/// rounding makes a wake-up come too early for its token. Not thread-safe.
class token_bucket {
public:
  /// @param per_second Starts a second; cut to the bounds above.
  token_bucket(double per_second, instant now);

  /// Another rate from now on. The tokens stay, cut to the new size, and are
  /// never refilled by a change (E16).
  void use_rate(double per_second, instant now);

  /// Takes one token if there is one.
  [[nodiscard]] bool take(instant now);

  /// Takes one token, which may be owed. With a whole bucket owed nothing is
  /// taken.
  void overdraw(instant now);

  /// Puts the token of a start back that did not come to be. Of a free one too:
  /// that is at most one token too much, and never above the size.
  void give_back(instant now);

  /// How long until `take` succeeds: whole milliseconds, rounded up (Q6).
  [[nodiscard]] milliseconds wait(instant now);

  /// Tokens in hand; negative while some are owed.
  [[nodiscard]] double tokens(instant now);

  [[nodiscard]] double rate() const noexcept {
    return rate_;
  }

private:
  using duration = instant::duration;

  void advance(instant now);
  [[nodiscard]] duration capacity() const;
  void use_interval(double per_second);

  double rate_ = 0;
  duration one_{0};  ///< What refills one token.
  instant empty_at_; ///< When it was last empty, or will be when some are owed.
  instant seen_at_;
  duration kept_{0}; ///< Refilled for others than who owes. At most `one_`.
};

} // namespace weir::policy
