#include "tests/bench/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace bench {

double quantile(std::vector<double> samples, double share) {
  if (samples.empty())
    return 0;
  std::sort(samples.begin(), samples.end());
  const double place = share * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const auto above = std::min(below + 1, samples.size() - 1);
  const double part = place - std::floor(place);
  return samples[below] * (1 - part) + samples[above] * part;
}

} // namespace bench
