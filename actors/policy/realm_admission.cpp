#include "actors/policy/realm_admission.hpp"

#include "schema/error.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <cmath>

namespace weir::policy {

namespace {

using std::chrono::seconds;

constexpr auto meter_window = seconds{30};
/// Said when nothing has left lately, so that nobody knows.
constexpr auto unknown_wait = seconds{60};
constexpr auto least_wait = seconds{1};
constexpr seconds longest_wait = limits::retry_after_max;

milliseconds wait_for(uint64_t bytes, double rate, milliseconds paused) {
  const auto drain = static_cast<double>(bytes) / rate;
  const auto most = static_cast<double>(longest_wait.count());
  const auto known
    = seconds{static_cast<seconds::rep>(std::ceil(std::min(drain, most)))};
  const seconds left = rate > 0 ? known : unknown_wait;
  const auto rest
    = std::chrono::ceil<seconds>(std::max(paused, milliseconds{0}));
  return std::clamp(rest + left, least_wait, longest_wait);
}

} // namespace

void drain_meter::advance(instant now) {
  const auto passed = now - since_;
  if (passed < meter_window)
    return;
  const bool is_recent = passed < 2 * meter_window;
  before_ = is_recent ? current_ : 0;
  before_took_ = is_recent ? passed : instant::duration{0};
  current_ = 0;
  since_ = now;
}

void drain_meter::add(uint64_t bytes, instant now) {
  advance(now);
  current_ += bytes;
}

double drain_meter::rate(instant now) const {
  auto at_now = *this;
  at_now.advance(now);
  const std::chrono::duration<double> covered = std::max<instant::duration>(
    now - at_now.since_ + at_now.before_took_, seconds{1});
  return static_cast<double>(at_now.current_ + at_now.before_)
    / covered.count();
}

uint64_t realm_admission::bound_for(realm_class of, uint64_t bound) const {
  if (of == realm_class::completion)
    return bound;
  const auto kept
    = static_cast<double>(bound) * std::clamp(bounds_.reserve, 0.0, 1.0);
  return bound - static_cast<uint64_t>(kept);
}

std::optional<realm_admission::refusal>
realm_admission::admit(const realm_id& realm, realm_class of, uint64_t bytes,
                       instant now, instant paused_until) {
  const auto paused
    = std::chrono::ceil<milliseconds>(std::max(paused_until, now) - now);
  const auto own_bound = bound_for(of, bounds_.realm_bytes);
  const auto all_bound = bound_for(of, bounds_.all_bytes);
  const auto at = realms_.find(realm);
  const bool is_first = at == realms_.end();
  if (!is_first && at->second.used + bytes > own_bound) {
    refusal why{true,
                wait_for(at->second.used + bytes - own_bound,
                         at->second.drained.rate(now), paused),
                {}};
    if (of != realm_class::lossy && at->second.lossy > 0)
      why.drop_from = realm;
    return why;
  }
  if (used_ > 0 && used_ + bytes > all_bound) {
    refusal why{false,
                wait_for(used_ + bytes - all_bound, drained_.rate(now), paused),
                {}};
    if (of != realm_class::lossy)
      why.drop_from = most_lossy();
    return why;
  }
  add(realm, of, bytes);
  return std::nullopt;
}

void realm_admission::load(const realm_id& realm, realm_class of,
                           uint64_t bytes) {
  add(realm, of, bytes);
}

void realm_admission::left(const realm_id& realm, realm_class of,
                           uint64_t bytes, instant now) {
  drained_.add(bytes, now);
  if (const auto at = realms_.find(realm); at != realms_.end())
    at->second.drained.add(bytes, now);
  remove(realm, of, bytes);
}

void realm_admission::take_back(const realm_id& realm, realm_class of,
                                uint64_t bytes) {
  remove(realm, of, bytes);
}

void realm_admission::resized(const realm_id& realm, realm_class of,
                              uint64_t before, uint64_t after) {
  add(realm, of, after);
  remove(realm, of, before);
}

uint64_t realm_admission::used(const realm_id& realm) const {
  const auto at = realms_.find(realm);
  return at == realms_.end() ? 0 : at->second.used;
}

std::optional<realm_id> realm_admission::most_lossy() const {
  if (lossy_.empty())
    return std::nullopt;
  return lossy_.rbegin()->second;
}

void realm_admission::add(const realm_id& realm, realm_class of,
                          uint64_t bytes) {
  auto& its = realms_[realm];
  its.used += bytes;
  used_ += bytes;
  if (of != realm_class::lossy)
    return;
  lossy_.erase({its.lossy, realm});
  its.lossy += bytes;
  lossy_.emplace(its.lossy, realm);
}

void realm_admission::remove(const realm_id& realm, realm_class of,
                             uint64_t bytes) {
  const auto at = realms_.find(realm);
  WEIR_ASSERT(at != realms_.end() && bytes <= at->second.used);
  auto& its = at->second;
  its.used -= bytes;
  used_ -= bytes;
  if (of == realm_class::lossy) {
    lossy_.erase({its.lossy, realm});
    its.lossy -= bytes;
    if (its.lossy > 0)
      lossy_.emplace(its.lossy, realm);
  }
  if (its.used == 0)
    realms_.erase(at);
}

} // namespace weir::policy
