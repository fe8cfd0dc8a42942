#pragma once

#include "actors/house.hpp"
#include "actors/supervisor.hpp"

#include <vector>

namespace weir {

/// The children of one house, in the order they are started: writers, readers,
/// transport, directory, gateway, janitor, pinger.
std::vector<child_spec> house_children(const house_config& config);

} // namespace weir
