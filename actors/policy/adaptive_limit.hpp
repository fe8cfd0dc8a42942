#pragma once

#include "schema/time.hpp"

#include <optional>

namespace weir::policy {

/// How much of the configured rate and slots is used, after what the homeserver
/// can take: additive increase, multiplicative decrease, and a brake by latency
/// that can only lower. Off by default.
///
/// A refusal cuts once an episode: to four fifths, and to a half when it comes
/// soon after the cut before, so that a homeserver that lost most of its
/// capacity is met in a few steps. After a cut nothing rises for a while, and
/// what was borne that long is what the next cut goes back to. So at a fifth of
/// the rate refusals stay below one in fifty, and the full rate is back ten
/// seconds after the capacity is.
///
/// The brake looks at how many answers are slow beside the fastest of the last
/// minutes, not at their mean: a few rooms that hang tell nothing of the rest.
///
/// Not thread-safe; owned by one pacer.
class adaptive_limit {
public:
  explicit adaptive_limit(instant now) : seen_at_{now}, braked_at_{now} {
  }

  /// The account or the homeserver refused a send, not a room of its own.
  void on_refused(instant started, instant now);

  /// A send had its verdict.
  void on_answered(instant started, instant now);

  /// From `share_min` to 1; of the configured rate and slots.
  [[nodiscard]] double share(instant now);

  /// One start in fifty: it has to be found out that the capacity is back.
  static constexpr double share_min = 0.02;

private:
  void advance(instant now);
  [[nodiscard]] double cut_to(instant now);
  void note_latency(instant::duration took, instant now);

  double share_ = 1;
  instant seen_at_;
  instant cut_at_ = instant::min();
  instant rises_from_ = instant::min();
  double held_ = 1;  ///< What the latest cut went to.
  double borne_ = 0; ///< The latest of these that was not refused; 0: none.
  double slow_share_ = 0; ///< Of the answers, the later the more it counts.
  instant braked_at_;
  instant best_since_ = instant::min();
  std::optional<instant::duration> best_;        ///< Since `best_since_`.
  std::optional<instant::duration> best_before_; ///< Of the stretch before.
};

} // namespace weir::policy
