#include "http/cli/command_line.hpp"

#include "http/cli/command_tree.hpp"
#include "http/cli/commands.hpp"
#include "schema/config_values.hpp"
#include "schema/metrics.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

namespace {

int serve(commands& run) {
  const auto setup = load_setup(run.given.config_path, documents::forget);
  if (setup.problems.empty() && run.parts.serve)
    return run.parts.serve(setup); // Which puts the warnings into its log.
  print_problems(setup.problems, "", run.err);
  print_problems(setup.warnings, "warning: ", run.err);
  if (!setup.problems.empty())
    return exit_failed;
  run.err << "this build has no service\n";
  return exit_failed;
}

void add_local_commands(CLI::App& app, commands& run) {
  add_command(app, run, "serve", "Runs the service",
              [&run] { return serve(run); });
  add_command(app, run, "check",
              "Says all that is wrong in the configuration and what it names",
              [&run] { return check_command(run.given.config_path, run.out); });
  auto* registration = add_command(
    app, run, "registration",
    "Writes the registrations that the homeserver loads", [&run] {
      return registration_command(run.given.config_path, run.given.out_folder,
                                  run.out, run.err);
    });
  registration
    ->add_option("--out", run.given.out_folder, "The folder to write to")
    ->required();
  app.add_subcommand("version", "Prints the version")->callback([&run] {
    run.chosen = [&run] {
      run.out << "weir " << version << '\n';
      return exit_ok;
    };
  });
  app.add_subcommand("config-docs", "Prints the tables of every option")
    ->group("") // Hidden: it is for those who work on Weir.
    ->callback([&run] {
      run.chosen = [&run] {
        run.out << config_reference();
        return exit_ok;
      };
    });
  app.add_subcommand("metrics-docs", "Prints docs/metrics.md")
    ->group("")
    ->callback([&run] {
      run.chosen = [&run] {
        run.out << metrics_reference();
        return exit_ok;
      };
    });
}

void add_admin_commands(CLI::App& app, commands& run) {
  auto* status = add_command(
    app, run, "status", "Shows the state of every appservice", [&run] {
      return with_admin(run, [&run](const admin_call& call) {
        return status_command(call, run.given.json, run.out, run.err);
      });
    });
  add_json(status, run);
  add_command(app, run, "health",
              "Asks whether a running Weir answers, for probes",
              [&run] { return health(run); })
    ->add_flag("--ready", run.given.ready,
               "Also asks whether its store takes writes");
  auto* reload = add_command(
    app, run, "reload",
    "Has a running Weir read its configuration and registrations again",
    [&run] {
      return with_admin(run, [&run](const admin_call& call) {
        return reload_command(call, run.given.json, run.out, run.err);
      });
    });
  add_json(reload, run);
}

/// What to say of the first word that should be a command and is none; empty
/// when there is no such word. CLI11 says only that a command is missing.
std::string unknown_command(const CLI::App& app,
                            std::span<const char* const> words) {
  const auto* at = &app;
  for (const std::string word : words) {
    std::vector<std::string> names;
    const CLI::App* next = nullptr;
    for (const auto* each : at->get_subcommands({})) {
      names.push_back(each->get_name());
      next = names.back() == word ? each : next;
    }
    if (names.empty() || word.empty() || word.front() == '-')
      return {};
    if (next == nullptr) {
      const auto near = nearest_key(word, names);
      return at->get_name() + " has no command " + word
        + (near.empty() ? "\n" : ", did you mean " + near + "?\n");
    }
    at = next;
  }
  return {};
}

/// `weir help trace show` is `weir trace show --help`.
std::vector<const char*> understood(std::span<const char* const> words) {
  std::vector<const char*> result{words.begin(), words.end()};
  const bool asks_help
    = result.size() > 1 && std::string_view{result[1]} == "help";
  if (!asks_help)
    return result;
  result.erase(result.begin() + 1);
  result.push_back("--help");
  return result;
}

} // namespace

int run_command_line(int argc, const char* const* argv,
                     const command_line_parts& parts, std::ostream& out,
                     std::ostream& err) {
  CLI::App app{"Delivers a homeserver's transactions to every bridge, durably "
               "and in order.",
               "weir"};
  commands run{{}, parts, out, err, {}};
  app.require_subcommand(1);
  app.set_version_flag("--version", "weir " + std::string{version},
                       "Prints the version and ends");
  add_local_commands(app, run);
  add_admin_commands(app, run);
  add_control_commands(app, run);
  add_kept_commands(app, run);
  add_realm_commands(app, run);
  add_trace_commands(app, run);
  app.add_subcommand("help", "Shows what a command does and takes");
  const auto words = understood({argv, static_cast<size_t>(std::max(argc, 1))});
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& refused) {
    const auto unknown = unknown_command(app, std::span{words}.subspan(1));
    if (unknown.empty())
      return app.exit(refused, out, err) == 0 ? exit_ok : exit_usage;
    err << unknown << "Run weir help for what there is.\n";
    return exit_usage;
  }
  return run.chosen();
}

} // namespace weir
