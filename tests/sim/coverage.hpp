#pragma once

#include "tests/sim/plan.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weir::sim {

/// Which fault met which step of the lane, and how often.
class coverage {
public:
  void met(act fault, const std::string& step) {
    ++cells_[{fault, step}];
  }
  void add(const coverage& other) {
    for (const auto& [cell, times] : other.cells_)
      cells_[cell] += times;
  }
  /// One table for each kind of step, as Markdown.
  [[nodiscard]] std::string table() const;
  /// Cells that nothing has met.
  [[nodiscard]] std::vector<std::string> empty() const;
  [[nodiscard]] uint64_t faults() const;

private:
  [[nodiscard]] uint64_t times(act fault, const std::string& step) const;

  std::map<std::pair<act, std::string>, uint64_t> cells_;
};

/// What a queue does when something happens to all of them.
enum class queue_step : uint8_t { idle, accepting, in_flight, resting, owed };
BOOST_DESCRIBE_ENUM(queue_step, idle, accepting, in_flight, resting, owed)

/// What a bridge meets a request as.
enum class send_step : uint8_t { first_try, again, cut_smaller, after_restart };
BOOST_DESCRIBE_ENUM(send_step, first_try, again, cut_smaller, after_restart)

} // namespace weir::sim
