#pragma once

#include "actors/trace/replay.hpp"

#include <string>

namespace weir::test {

/// Replays a trace, given by its path from the root of the checkout, and fails
/// the test where an actor does something else than the recorded one did, or
/// when nothing in it can be replayed.
void replay(const std::string& path);

} // namespace weir::test
