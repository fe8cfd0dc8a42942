#pragma once

#include "tests/sim/shrink.hpp"
#include "tests/sim/world.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace weir::sim {

/// What the program was asked for.
struct campaign_options {
  uint64_t first_seed = 1;
  uint64_t seeds = 1;
  /// Goes on after `seeds` until so much time of the processor is used; 0: not.
  double minutes = 0;
  bool shrinks = false;
  bool needs_coverage = false; ///< An empty cell fails it.
  std::optional<kept_lines> only;
  std::string commit = "unknown";
  run_options how;
};

/// Runs plans, seed after seed, and prints what came of them: of a failure the
/// seed, the commit, the plan and how to see it again; at the end what was
/// delivered and which faults met which steps. False when something was found.
bool run_campaign(const campaign_options& options);

} // namespace weir::sim
