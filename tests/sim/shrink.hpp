#pragma once

#include "tests/sim/world.hpp"

#include <functional>
#include <vector>

namespace weir::sim {

/// The lines of a plan that are left in a run, by their number.
using kept_lines = std::vector<size_t>;

/// The plan with those lines alone.
plan only(const plan& of, const kept_lines& lines);
kept_lines all_lines(const plan& of);

/// Takes lines out, halves first and then one by one, for as long as
/// `still_fails` says that what is left fails in the same way. At most
/// `tries_max` runs.
kept_lines shrink(const plan& of, kept_lines lines,
                  const std::function<bool(const plan&)>& still_fails,
                  size_t tries_max);

} // namespace weir::sim
