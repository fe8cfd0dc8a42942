#pragma once

#include "schema/registration.hpp"

#include <iosfwd>
#include <string>

namespace weir {

// One function for each command that needs no running Weir. They return the
// exit code.

/// Prints every problem and warning, else one line that sums the setup up.
int check_command(const std::string& config_path, std::ostream& out);

/// Writes the registrations the homeserver loads into `folder`, making it when
/// it is missing, and says what to do with them. Never writes over a file that
/// is no registration of the same id, nor over one of the bridges' own.
int registration_command(const std::string& config_path,
                         const std::string& folder, std::ostream& out,
                         std::ostream& err);

/// One line for each.
void print_problems(const std::vector<config_problem>& problems,
                    std::string_view before, std::ostream& to);

} // namespace weir
