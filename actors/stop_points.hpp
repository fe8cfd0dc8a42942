#pragma once

#include <functional>
#include <string_view>

namespace weir {

/// Names a step at which a test may stop the process for good: the crash
/// campaign kills it there. In service nothing is installed and a step costs
/// one load. The steps are listed in docs/store.md.
void stop_point(std::string_view step);

/// Called at every step from then on, on the thread that reached it. Only test
/// programs call this, before anything else runs.
void install_stop_points(std::function<void(std::string_view)> handler);

} // namespace weir
