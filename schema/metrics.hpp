#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir {

/// A counter only grows; a histogram counts values by size.
enum class metric_kind : uint8_t { counter, gauge, histogram };

/// One family of /metrics. Every family of Weir stands in `metric_families`
/// once; docs/metrics.md is printed from it and checked by a test.
struct metric_family {
  std::string_view name;
  metric_kind kind = metric_kind::gauge;
  std::string_view label; ///< Empty: none.
  std::string_view help;  ///< With the unit, and what to do about it.
  std::string_view second_label = {}; ///< Empty: there is none.
};

std::span<const metric_family> metric_families();

/// The family called `name`, which must be one of `metric_families`.
const metric_family& metric_family_named(std::string_view name);

/// docs/metrics.md, whole.
std::string metrics_reference();

} // namespace weir
