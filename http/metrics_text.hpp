#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// One sample: the values of its family's labels, in their order.
struct metric_sample {
  double value = 0;
  std::string_view label = {};
  std::string_view second_label = {};
};

/// Samples of a histogram in Prometheus' sense: each bucket holds those below
/// it, too.
struct metric_buckets {
  struct bucket {
    double bound = 0;
    uint64_t count = 0; ///< Of those above the bound before.
  };
  std::vector<bucket> buckets; ///< The last one's bound is infinite.
  double sum = 0;
};

/// Writes a page for Prometheus family by family, so that of the samples never
/// more than those of one family are there twice. Names, kinds and labels are
/// those of schema/metrics.hpp; naming another is an error in Weir.
class metrics_text {
public:
  void add(std::string_view family, std::span<const metric_sample> samples);
  void add(std::string_view family, double value);
  void add(std::string_view family, const metric_buckets& samples);

  /// Makes room for so many bytes more, where they can be told.
  void expect(size_t bytes) {
    text_.reserve(text_.size() + bytes);
  }
  [[nodiscard]] size_t size() const noexcept {
    return text_.size();
  }
  std::string take() {
    return std::move(text_);
  }

private:
  std::string text_;
};

} // namespace weir
