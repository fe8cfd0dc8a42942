#include "http/cli/command_line.hpp"
#include "http/cli/commands.hpp"
#include "schema/config_values.hpp"

#include <fmt/core.h>

#include <ostream>

namespace weir {

void print_problems(const std::vector<config_problem>& problems,
                    std::string_view before, std::ostream& to) {
  for (const auto& problem : problems)
    to << before << to_string(problem) << '\n';
}

int check_command(const std::string& config_path, std::ostream& out) {
  const auto setup = load_setup(config_path);
  print_problems(setup.problems, "", out);
  print_problems(setup.warnings, "warning: ", out);
  if (!setup.problems.empty())
    return exit_failed;
  const auto& settings = setup.settings;
  out << fmt::format(
    "ok: {} appservices, {} store, appservice API on {}, "
    "admin API on {}, {} warnings\n",
    setup.registrations.size(),
    sqlite_file_of(settings.storage.url).empty() ? "PostgreSQL" : "SQLite",
    settings.listen, settings.admin.listen, setup.warnings.size());
  return exit_ok;
}

} // namespace weir
