#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weir {

/// Counts values by size, for /metrics. Thread-safe; what is read while it is
/// written may lack the last value in one of its parts.
template <size_t Count>
class histogram_probe {
public:
  using bounds_type = std::array<double, Count>;

  /// @param bounds Rising. A value belongs to the first that it is not above.
  constexpr explicit histogram_probe(const bounds_type& bounds)
    : bounds_{bounds} {
  }

  void observe(double value) {
    size_t at = 0;
    while (at < Count && value > bounds_[at])
      ++at;
    ++counts_[at];
    sum_ += value;
  }

  [[nodiscard]] const bounds_type& bounds() const noexcept {
    return bounds_;
  }
  /// How many were in the bucket at `bounds()[at]` and not below; one more
  /// bucket than bounds, for what is above them all.
  [[nodiscard]] uint64_t count(size_t at) const {
    return counts_[at];
  }
  [[nodiscard]] double sum() const {
    return sum_;
  }

private:
  bounds_type bounds_;
  std::array<std::atomic<uint64_t>, Count + 1> counts_{};
  std::atomic<double> sum_{0};
};

/// From a commit of a good disk to the time that ends a batch.
inline constexpr std::array commit_seconds_bounds{
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};
/// Up to the rows of a full batch, and the one above that goes alone.
inline constexpr std::array commit_rows_bounds{
  1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 10000.0};

/// What /metrics tells of all writers.
struct store_probe {
  std::atomic<uint64_t> commits{0};
  std::atomic<uint64_t> operations{0};
  std::atomic<uint64_t> rows{0}; ///< As the batches were planned.
  std::atomic<uint64_t> failed_batches{0};
  std::atomic<uint64_t> expired_operations{0};
  std::atomic<uint64_t> in_doubt_commits{0};
  std::atomic<uint64_t> clock_jumps{0};
  std::atomic<uint64_t> position{0};
  std::atomic<bool> writable{false};
  /// Of each commit: seconds of its batch, rows as planned.
  histogram_probe<commit_seconds_bounds.size()> commit_seconds{
    commit_seconds_bounds};
  histogram_probe<commit_rows_bounds.size()> commit_rows{commit_rows_bounds};
};

/// The probe of this process.
store_probe& process_store_probe();

} // namespace weir
