#pragma once

#include <string>
#include <string_view>

namespace weir::sim {

/// Makes one deliberate fault real, or none when `name` is empty.
void activate_mutant(const std::string& name);

/// Whether the fault `name` is active. The copies of sources that hold the
/// faults ask; no source of the product does.
bool mutant(std::string_view name);

} // namespace weir::sim
