#pragma once

#include <vector>

namespace bench {

/// The value below which `share` (0 to 1) of the samples lie; 0 without any.
double quantile(std::vector<double> samples, double share);

inline double median(std::vector<double> samples) {
  return quantile(std::move(samples), 0.5);
}

} // namespace bench
