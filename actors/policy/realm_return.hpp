#pragma once

#include "actors/policy/realm_admission.hpp"
#include "schema/realm.hpp"
#include "schema/time.hpp"

#include <unordered_map>

namespace weir::policy {

/// When a producer that was refused may come back: when, at the speed at which
/// events are over now, there is room for what it brought (G8).
///
/// Whether there is room the store decides, inside the commit. What is kept
/// here is the speed of each realm of which something was over lately, and of
/// all. Not thread-safe; owned by the realm gateway.
class realm_return {
public:
  /// Realms whose speed is known; at the bound those that stand still are
  /// forgotten, and beyond it a realm counts as one of them.
  static constexpr size_t realms_max = 10'000;

  /// So many bytes of a realm's events are over.
  void left(const realm_id& realm, uint64_t bytes, instant now);

  /// @param bytes That did not fit.
  /// @return Whole seconds, from 1 s to `limits::retry_after_max`; a minute
  /// when nothing is over lately.
  [[nodiscard]] milliseconds of_realm(const realm_id& realm, uint64_t bytes,
                                      instant now) const;
  /// The same of the bound of all realms.
  [[nodiscard]] milliseconds of_all(uint64_t bytes, instant now) const;

  [[nodiscard]] size_t known() const noexcept {
    return realms_.size();
  }

private:
  std::unordered_map<realm_id, drain_meter> realms_;
  drain_meter all_;
};

} // namespace weir::policy
