#pragma once

#include "http/cli/admin_commands.hpp"
#include "http/cli/command_line.hpp"
#include "http/cli/trace_commands.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

/// What the files that each add some commands to the command line share.
namespace weir {

/// Everything the command line can say.
struct arguments {
  std::string config_path = "/etc/weir/weir.yaml";
  std::string out_folder;
  bool json = false;
  bool ready = false;
  std::string trace_file;
  trace_selection trace;
  trace_order order;
};

/// The commands of one run; `chosen` is what the one that was named does.
struct commands {
  arguments given;
  const command_line_parts& parts;
  std::ostream& out;
  std::ostream& err;
  std::function<int()> chosen;
};

/// Adds a command that reads the configuration file.
CLI::App* add_command(CLI::App& app, commands& run, const std::string& name,
                      const std::string& what, std::function<int()> action);

void add_json(CLI::App* command, commands& run);

/// A number of `least` or more; what is none is told without naming a bound
/// that nobody can read.
CLI::Validator whole_number_from(int64_t least);

/// Runs `command` with calls to the running Weir of the configuration, or says
/// why there are none. Returns the exit code.
int with_admin(commands& run,
               const std::function<int(const admin_call&)>& command);

/// The same without a token.
int health(commands& run);

/// `queues`, `explain`, `pause`, `resume`, `retry`, `skip`, `retire`,
/// `commands` and `drain`.
void add_control_commands(CLI::App& app, commands& run);

/// `dead-letters …`, `quarantine …` and `remove`.
void add_kept_commands(CLI::App& app, commands& run);

/// `realms …`.
void add_realm_commands(CLI::App& app, commands& run);

/// `trace …`.
void add_trace_commands(CLI::App& app, commands& run);

} // namespace weir
