#include "tests/sim/mutants/active.hpp"

namespace weir::sim {

namespace {

std::string& active() {
  static std::string name;
  return name;
}

} // namespace

void activate_mutant(const std::string& name) {
  active() = name;
}

bool mutant(std::string_view name) {
  return !active().empty() && active() == name;
}

} // namespace weir::sim
