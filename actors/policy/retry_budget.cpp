#include "actors/policy/retry_budget.hpp"

#include <algorithm>
#include <cmath>

namespace weir::policy {

namespace {

constexpr double per_answer = 0.2;
constexpr double share_of_rate = 0.1;
/// However slow the rate, a retry waits ten seconds for its budget at most
/// while none is reserved before it.
constexpr double per_second_min = 0.1;

} // namespace

retry_budget::retry_budget(double per_second, double at_once, instant now)
  : per_second_{std::max(per_second * share_of_rate, per_second_min)},
    at_once_{std::max(at_once, 1.0)},
    credit_{at_once_},
    seen_at_{now} {
}

void retry_budget::use(double per_second, double at_once, instant now) {
  advance(now);
  per_second_ = std::max(per_second * share_of_rate, per_second_min);
  at_once_ = std::max(at_once, 1.0);
  credit_ = std::min(credit_, at_once_);
}

void retry_budget::on_answered() noexcept {
  credit_ = std::min(credit_ + per_answer, at_once_);
}

instant retry_budget::reserve(instant now) {
  advance(now);
  credit_ -= 1;
  if (credit_ >= 0)
    return now;
  const auto wait = std::ceil(-credit_ * 1'000 / per_second_);
  return now + milliseconds{static_cast<milliseconds::rep>(wait)};
}

void retry_budget::advance(instant now) {
  const std::chrono::duration<double> passed = now - seen_at_;
  seen_at_ = now;
  if (passed.count() > 0)
    credit_ = std::min(credit_ + passed.count() * per_second_, at_once_);
}

} // namespace weir::policy
