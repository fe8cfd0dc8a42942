#include "actors/policy/adaptive_limit.hpp"

#include <algorithm>

namespace weir::policy {

namespace {

constexpr double cut = 0.8;
constexpr double cut_again = 0.5;
constexpr instant::duration hold = milliseconds{7'500};
constexpr double rise_per_second = 0.4;

/// An answer is slow that takes so many times the fastest, and this besides:
/// the fastest may have been an exception.
constexpr int slow_factor = 3;
constexpr instant::duration slow_besides = milliseconds{250};
/// Of the latest answer in the share of slow ones: some twenty count.
constexpr double weight = 0.05;
constexpr double too_many_slow = 0.5;
constexpr double brake = 0.9;
/// Slowness alone goes no further: it may have other reasons than our load.
constexpr double braked_min = 0.25;
constexpr instant::duration brake_every = std::chrono::seconds{1};
constexpr instant::duration best_stretch = std::chrono::minutes{1};

} // namespace

void adaptive_limit::on_refused(instant started, instant now) {
  advance(now);
  if (started <= cut_at_)
    return;
  share_ = std::max(cut_to(now), share_min);
  held_ = share_;
  cut_at_ = now;
  rises_from_ = now + hold;
}

double adaptive_limit::cut_to(instant now) {
  if (now < rises_from_) {
    if (held_ <= borne_)
      borne_ = 0; // No more.
    return std::max(share_ * cut_again, borne_);
  }
  if (rises_from_ == instant::min() || share_ == 1)
    borne_ = 0;
  else
    borne_ = held_;
  return borne_ > 0 ? std::min(share_ * cut, borne_) : share_ * cut;
}

void adaptive_limit::on_answered(instant started, instant now) {
  advance(now);
  note_latency(std::max(now - started, instant::duration{0}), now);
  const auto fastest = std::min(best_.value_or(best_before_.value_or(hold)),
                                best_before_.value_or(hold));
  const bool is_slow = now - started > fastest * slow_factor + slow_besides;
  slow_share_ += weight * ((is_slow ? 1.0 : 0.0) - slow_share_);
  if (slow_share_ <= too_many_slow || now - braked_at_ < brake_every)
    return;
  share_ = std::min(share_, std::max(share_ * brake, braked_min));
  braked_at_ = now;
}

double adaptive_limit::share(instant now) {
  advance(now);
  return share_;
}

void adaptive_limit::note_latency(instant::duration took, instant now) {
  if (best_since_ == instant::min() || now - best_since_ > best_stretch) {
    best_before_ = best_;
    best_.reset();
    best_since_ = now;
  }
  best_ = std::min(best_.value_or(took), took);
}

void adaptive_limit::advance(instant now) {
  const auto from = std::max(seen_at_, rises_from_);
  seen_at_ = now;
  if (now <= from || slow_share_ > too_many_slow)
    return;
  const std::chrono::duration<double> risen = now - from;
  share_ = std::min(1.0, share_ + rise_per_second * risen.count());
}

} // namespace weir::policy
