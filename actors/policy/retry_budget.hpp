#pragma once

#include "schema/time.hpp"

namespace weir::policy {

/// How many retries there may be beside what goes through: one for five
/// answered sends, and besides one start in ten of the rate, so that retries
/// alone never make a load that keeps a homeserver down. Not thread-safe.
class retry_budget {
public:
  /// @param per_second Of all starts. @param at_once Retries that may gather:
  /// one window of sends in flight, which one fault may refuse together.
  retry_budget(double per_second, double at_once, instant now);

  void use(double per_second, double at_once, instant now);

  /// A send had its verdict.
  void on_answered() noexcept;

  /// Spends one retry. @return When it may start; never before `now`.
  [[nodiscard]] instant reserve(instant now);

private:
  void advance(instant now);

  double per_second_;
  double at_once_;
  double credit_; ///< Negative: reserved ahead.
  instant seen_at_;
};

} // namespace weir::policy
