#pragma once

#include "schema/time.hpp"

#include <boost/describe/class.hpp>

#include <cstddef>
#include <deque>

namespace weir::policy {

/// Whether a child that died may be started once more, or dies too often for a
/// restart to be a cure. Not thread-safe; owned by the supervisor.
class restart_intensity {
public:
  struct limits {
    size_t restarts = 5;         ///< That many …
    milliseconds within{60'000}; ///< … in any stretch of this length.
  };

  explicit restart_intensity(limits bounds) : bounds_{bounds} {
  }

  /// Counts and permits a restart at `now`; refuses it, without counting, when
  /// the bound is reached. Times never go back.
  [[nodiscard]] bool allow(instant now);

private:
  limits bounds_;
  std::deque<instant> recent_; ///< Permitted ones, at most `restarts`.
};

BOOST_DESCRIBE_STRUCT(restart_intensity::limits, (), (restarts, within))

} // namespace weir::policy
