#include "http/cli/command_line.hpp"
#include "http/cli/commands.hpp"
#include "http/tls_identity.hpp"
#include "schema/config_values.hpp"

#include <fmt/core.h>

#include <ostream>

namespace weir {

void print_problems(const std::vector<config_problem>& problems,
                    std::string_view before, std::ostream& to) {
  for (const auto& problem : problems)
    to << before << to_string(problem) << '\n';
}

/// Certificates and keys belong together only when they are tried.
void check_certificates(loaded_setup& setup) {
  const auto check = [&](const char* key, const config::tls_options& tls) {
    if (tls.certificate_file.empty() || tls.key_file.empty())
      return;
    tls_identity identity{tls.certificate_file, tls.key_file};
    if (const auto loaded = identity.load(); !loaded)
      setup.problems.push_back(
        {setup.config_path, 0, 0, key, loaded.error().context});
  };
  check("listener.tls", setup.settings.listener.tls);
  check("admin.tls", setup.settings.admin.tls);
}

int check_command(const std::string& config_path, std::ostream& out) {
  auto setup = load_setup(config_path);
  check_certificates(setup);
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
