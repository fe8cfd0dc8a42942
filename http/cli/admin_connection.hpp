#pragma once

#include "http/cli/command_line.hpp"

namespace weir {

/// Calls of the admin API at `settings.admin.listen`, one connection each.
/// Blocks; for the command line only.
admin_call connect_admin(const config& settings, const std::string& token);

} // namespace weir
