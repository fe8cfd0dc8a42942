#include "actors/policy/token_bucket.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace weir::policy {

namespace {

constexpr instant::duration second = std::chrono::seconds{1};
/// While tokens are owed one part in so many of the refill goes to others.
constexpr int kept_share = 8;

} // namespace

double send_rate(std::string_view text, double fallback) noexcept {
  double rate = 0;
  const auto* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, rate);
  const bool is_number = parsed.ec == std::errc{} && parsed.ptr == end;
  if (!is_number || !std::isfinite(rate) || rate <= 0)
    return fallback;
  return std::clamp(rate, send_rate_min, send_rate_max);
}

token_bucket::token_bucket(double per_second, instant now)
  : empty_at_{now},
    seen_at_{now} {
  use_interval(per_second);
}

void token_bucket::use_interval(double per_second) {
  rate_ = std::isfinite(per_second)
    ? std::clamp(per_second, send_rate_min, send_rate_max)
    : send_rate_max;
  const auto interval = static_cast<double>(second.count()) / rate_;
  one_ = duration{static_cast<duration::rep>(std::ceil(interval))};
}

void token_bucket::use_rate(double per_second, instant now) {
  advance(now);
  const auto before = static_cast<double>(one_.count());
  use_interval(per_second);
  const auto scale = static_cast<double>(one_.count()) / before;
  const auto scaled = [scale](duration of) {
    const auto count = std::floor(static_cast<double>(of.count()) * scale);
    return duration{static_cast<duration::rep>(count)};
  };
  kept_ = std::min(scaled(kept_), one_);
  const auto in_hand = scaled(now - empty_at_);
  empty_at_ = now - std::clamp(in_hand, -capacity(), capacity());
}

bool token_bucket::take(instant now) {
  advance(now);
  if (now - empty_at_ >= one_)
    empty_at_ += one_;
  else if (kept_ >= one_)
    kept_ -= one_;
  else
    return false;
  return true;
}

void token_bucket::overdraw(instant now) {
  advance(now);
  if (empty_at_ + one_ <= now + capacity())
    empty_at_ += one_;
}

void token_bucket::give_back(instant now) {
  advance(now);
  empty_at_ = std::max(empty_at_ - one_, now - capacity());
}

milliseconds token_bucket::wait(instant now) {
  advance(now);
  const auto owed = std::max(empty_at_ - now, duration{0});
  const auto until_paid = owed * kept_share / (kept_share - 1);
  const auto until_kept = std::max((one_ - kept_) * kept_share, duration{0});
  const auto until_both = empty_at_ - now + one_ - kept_;
  const auto left = until_kept <= until_paid ? until_kept : until_both;
  return std::max(std::chrono::ceil<milliseconds>(left), milliseconds{0});
}

double token_bucket::tokens(instant now) {
  advance(now);
  return static_cast<double>((now - empty_at_).count())
    / static_cast<double>(one_.count());
}

token_bucket::duration token_bucket::capacity() const {
  return std::max(one_, second);
}

/// Refills up to `now`. Whatever is kept for others while some is owed joins
/// the rest as soon as nothing is.
void token_bucket::advance(instant now) {
  const auto passed = now - seen_at_;
  seen_at_ = now;
  if (passed < duration{0}) {
    empty_at_ += passed; // The tokens stay as they were.
    return;
  }
  const auto owed = std::max(empty_at_ - (now - passed), duration{0});
  const auto until_paid = owed * kept_share / (kept_share - 1);
  const auto kept = std::min(passed, until_paid) / kept_share;
  const auto keeps = std::min(kept, one_ - kept_);
  kept_ += keeps;
  empty_at_ += keeps;
  if (empty_at_ <= now) {
    empty_at_ -= kept_;
    kept_ = duration{0};
  }
  empty_at_ = std::max(empty_at_, now - capacity());
}

} // namespace weir::policy
