#pragma once

#include "schema/config.hpp"
#include "schema/error.hpp"
#include "schema/registration.hpp"

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace weir {

inline constexpr std::string_view version = "0.1.0";

/// What a command ends with.
enum exit_code : int {
  exit_ok = 0,
  exit_failed = 1, ///< What was asked for is wrong or could not be done.
  exit_usage = 2,  ///< The command line itself is wrong.
};

/// What the admin API of a running Weir answered.
struct admin_answer {
  int status = 0;
  std::string body;
};

/// Sends one request to the admin API: the method, and the path with its query.
/// Errors: `ec::unavailable` when nobody answers.
using admin_call = std::function<expected<admin_answer>(std::string_view method,
                                                        std::string_view path)>;

/// What the command line needs of the rest of the process. A part that is not
/// set is a command that says so and fails.
struct command_line_parts {
  /// Runs the service until it is told to stop; returns the exit code. Logging
  /// is not started yet.
  std::function<int(const loaded_setup&)> serve;
  /// A call to the admin API at `settings.admin.listen` with this token.
  std::function<admin_call(const config& settings, const std::string& token)>
    connect_admin;
};

/// Does what the command line says; `out` and `err` are the standard streams.
/// Returns the exit code.
int run_command_line(int argc, const char* const* argv,
                     const command_line_parts& parts, std::ostream& out,
                     std::ostream& err);

} // namespace weir
