#include "actors/policy/realm_return.hpp"

#include "schema/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace weir::policy {

namespace {

using std::chrono::seconds;

constexpr seconds when_nothing_leaves{60};

milliseconds back_in(uint64_t bytes, double bytes_a_second) {
  const auto most
    = std::chrono::duration_cast<seconds>(limits::retry_after_max);
  if (bytes_a_second <= 0)
    return when_nothing_leaves;
  const auto wait = std::ceil(static_cast<double>(bytes) / bytes_a_second);
  if (wait >= static_cast<double>(most.count()))
    return most;
  return seconds{std::max<int64_t>(1, static_cast<int64_t>(wait))};
}

} // namespace

void realm_return::left(const realm_id& realm, uint64_t bytes, instant now) {
  all_.add(bytes, now);
  if (realms_.size() >= realms_max && !realms_.contains(realm))
    std::erase_if(
      realms_, [now](const auto& each) { return each.second.rate(now) <= 0; });
  if (realms_.size() < realms_max || realms_.contains(realm))
    realms_[realm].add(bytes, now);
}

milliseconds realm_return::of_realm(const realm_id& realm, uint64_t bytes,
                                    instant now) const {
  const auto found = realms_.find(realm);
  return back_in(bytes, found == realms_.end() ? 0 : found->second.rate(now));
}

milliseconds realm_return::of_all(uint64_t bytes, instant now) const {
  return back_in(bytes, all_.rate(now));
}

} // namespace weir::policy
