#pragma once

#include "schema/setup_changes.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace weir {

/// What became of a reload.
struct reload_report {
  bool applied = false; ///< False: nothing was changed, see `problems`.
  setup_changes changes;
  std::vector<config_problem> problems;
  std::vector<config_problem> warnings;
};

/// Reads the configuration again while Weir runs. All that was read is right,
/// or nothing is changed.
class reloader {
public:
  /// @param apply Hands the new appservices to those who serve them.
  reloader(std::shared_ptr<const loaded_setup> in_force,
           std::function<void(const loaded_setup&)> apply);

  /// Reads, compares, applies, and says so in the log. Blocks on files; one at
  /// a time, in the order of the calls.
  reload_report reload();

  [[nodiscard]] std::shared_ptr<const loaded_setup> in_force() const;

  /// Whether the last reload changed nothing since something was wrong.
  [[nodiscard]] bool refused_last() const noexcept {
    return refused_last_;
  }

private:
  std::function<void(const loaded_setup&)> apply_;
  std::atomic<bool> refused_last_{false};
  uint64_t refusals_ = 0; ///< Under `one_at_a_time_`.
  std::mutex one_at_a_time_;
  mutable std::mutex mutex_; ///< Of `in_force_`.
  std::shared_ptr<const loaded_setup> in_force_;
};

} // namespace weir
