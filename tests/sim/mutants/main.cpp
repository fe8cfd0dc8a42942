#include "actors/trace/replay.hpp"
#include "tests/sim/mutants/active.hpp"
#include "tests/sim/world.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace weir::sim;

/// The first seed that finds a fault; each is found within so many or the
/// simulator does not bite.
constexpr uint64_t seeds_max = 200;
/// With no fault active the same build finds nothing.
constexpr uint64_t seeds_without = 10;

bool is_found(const std::string& name) {
  activate_mutant(name);
  for (uint64_t seed = 1; seed <= seeds_max; ++seed) {
    const auto result = run_plan(make_plan(seed), {});
    if (!result.found)
      continue;
    fmt::print("| {} | {} | {} | {} |\n", name, seed, result.found->rule,
               result.found->what);
    std::fflush(stdout); // A run that is killed has told of those before.
    return true;
  }
  fmt::print("FAILED {} lives after {} seeds\n", name, seeds_max);
  return false;
}

bool finds_nothing_without() {
  activate_mutant({});
  for (uint64_t seed = 1; seed <= seeds_without; ++seed)
    if (const auto result = run_plan(make_plan(seed), {}); result.found) {
      fmt::print("FAILED without a fault seed {}: {}\n", seed,
                 result.found->what);
      return false;
    }
  return true;
}

/// Replays a trace of the product with a fault: another constant of a policy,
/// say. It must differ, and not without the fault.
bool replay_differs(const std::string& name, const std::string& file) {
  const auto recorded = weir::trace::load(file);
  if (!recorded) {
    fmt::print("FAILED {}\n", weir::to_string(recorded.error()));
    return false;
  }
  activate_mutant({});
  if (!weir::trace::replay(recorded.value()).same()) {
    fmt::print("FAILED it differs without {} too\n", name);
    return false;
  }
  activate_mutant(name);
  const auto report = weir::trace::replay(recorded.value());
  fmt::print("{}", weir::trace::to_text(report));
  return report.different();
}

} // namespace

/// The arguments are the names of faults; or `--replay NAME TRACE`.
int main(int count, char** arguments) {
  if (count == 4 && std::string_view{arguments[1]} == "--replay")
    return replay_differs(arguments[2], arguments[3]) ? 0 : 1;
  bool all = finds_nothing_without();
  fmt::print("| fault | seeds needed | rule that it broke | how |\n"
             "|---|---|---|---|\n");
  for (int i = 1; i < count; ++i)
    all = is_found(arguments[i]) && all;
  return all ? 0 : 1;
}
