#pragma once

#include "schema/registration.hpp"

namespace weir {

/// Runs Weir until SIGTERM or SIGINT, which drain it: nothing new is started,
/// what is in flight is finished, within `drain.timeout`. Blocks.
/// @return The exit code: 0 after a drain, 1 when it could not start or gave
/// up; the reason is in the log.
int run_service(const loaded_setup& setup);

} // namespace weir
