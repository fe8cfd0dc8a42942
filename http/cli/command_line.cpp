#include "http/cli/command_line.hpp"

#include "http/cli/admin_commands.hpp"
#include "http/cli/commands.hpp"
#include "http/cli/trace_commands.hpp"
#include "schema/config_values.hpp"
#include "schema/metrics.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <optional>
#include <span>

namespace weir {

namespace {

/// Everything the command line can say.
struct arguments {
  std::string config_path = "/etc/weir/weir.yaml";
  std::string out_folder;
  bool json = false;
  bool ready = false;
  dead_letter_filter filter;
  int64_t letter = 0;
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

/// Only what concerns the admin API has to be right: a running Weir can be
/// asked while somebody works on the rest of the file.
bool stops_admin_commands(const config_problem& problem) {
  return problem.key.empty() || problem.key.starts_with("admin")
    || problem.key.starts_with("storage");
}

/// Weir makes its admin token at its first start, so that one that is missing
/// tells of a service that never ran with this configuration.
int no_token(commands& run, const std::string& file, const error& why) {
  if (why.code == ec::not_found)
    run.err << "weir was never started with " << run.given.config_path
            << ": there is no admin token, " << file
            << "; it makes one at its first start: weir serve --config "
            << run.given.config_path << '\n';
  else
    run.err << "no admin token: " << why.context << '\n';
  return exit_failed;
}

/// The configuration as far as the admin API needs it; nothing after a problem.
std::optional<config> admin_settings(commands& run) {
  if (!run.parts.connect_admin) {
    run.err << "this build has no client of the admin API\n";
    return std::nullopt;
  }
  auto loaded = load_config(run.given.config_path);
  std::erase_if(loaded.problems, [](const config_problem& problem) {
    return !stops_admin_commands(problem);
  });
  print_problems(loaded.problems, "", run.err);
  if (!loaded.problems.empty())
    return std::nullopt;
  return std::move(loaded.settings);
}

/// Calls that say whom they asked when nobody answers.
admin_call admin_call_to(commands& run, const config& settings,
                         const std::string& token) {
  return [call = run.parts.connect_admin(settings, token),
          listen = settings.admin.listen](
           std::string_view method,
           std::string_view path) -> expected<admin_answer> {
    auto answer = call(method, path);
    if (answer)
      return answer;
    return fail(answer.error().code, listen + ": " + answer.error().context);
  };
}

int with_admin(commands& run,
               const std::function<int(const admin_call&)>& command) {
  const auto settings = admin_settings(run);
  if (!settings)
    return exit_failed;
  const auto token = read_token_file(settings->admin.token_file);
  if (!token)
    return no_token(run, settings->admin.token_file, token.error());
  return command(admin_call_to(run, *settings, token.value()));
}

int health(commands& run) {
  const auto settings = admin_settings(run);
  if (!settings)
    return exit_failed;
  return health_command(admin_call_to(run, *settings, {}), run.given.ready,
                        run.out, run.err);
}

CLI::App* add_command(CLI::App& app, commands& run, const std::string& name,
                      const std::string& what, std::function<int()> action) {
  auto* command = app.add_subcommand(name, what);
  command
    ->add_option("--config", run.given.config_path, "The configuration file")
    ->capture_default_str();
  command->callback(
    [&run, action = std::move(action)] { run.chosen = action; });
  return command;
}

void add_json(CLI::App* command, commands& run) {
  command->add_flag("--json", run.given.json, "Prints the answer as JSON");
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
  auto* letters
    = app.add_subcommand("dead-letters", "Shows what bridges refused for good");
  letters->require_subcommand(1);
  auto* list = add_command(*letters, run, "list", "Lists one page", [&run] {
    return with_admin(run, [&run](const admin_call& call) {
      return list_dead_letters_command(call, run.given.filter, run.given.json,
                                       run.out, run.err);
    });
  });
  list->add_option("--appservice", run.given.filter.appservice,
                   "Only of this appservice");
  list
    ->add_option("--after", run.given.filter.after,
                 "The last id of the page before")
    ->check(CLI::NonNegativeNumber);
  list->add_option("--limit", run.given.filter.limit, "Rows at most")
    ->check(CLI::Range(uint32_t{1}, uint32_t{limits::page_rows_max}))
    ->capture_default_str();
  add_json(list, run);
  auto* show = add_command(*letters, run, "show", "Shows one whole", [&run] {
    return with_admin(run, [&run](const admin_call& call) {
      return show_dead_letter_command(call, run.given.letter, run.given.json,
                                      run.out, run.err);
    });
  });
  show->add_option("id", run.given.letter, "Its id")
    ->required()
    ->check(CLI::NonNegativeNumber);
  add_json(show, run);
}

/// A command on a file of a trace; needs no running Weir.
CLI::App* add_trace_file_command(CLI::App& app, commands& run,
                                 const std::string& name,
                                 const std::string& what,
                                 std::function<int()> action) {
  auto* command = app.add_subcommand(name, what);
  command->add_option("file", run.given.trace_file, "The trace")->required();
  command->add_option("--actor", run.given.trace.actors,
                      "Only of this actor: NAME, NAME* or NAME#2; repeatable");
  command->callback(
    [&run, action = std::move(action)] { run.chosen = action; });
  return command;
}

void add_span(CLI::App* command, commands& run) {
  command->add_option("--from", run.given.trace.from,
                      "From this time on, since the first record: 90s, 15m");
  command->add_option("--to", run.given.trace.to, "Up to this time, likewise");
}

void add_trace_file_commands(CLI::App& traces, commands& run) {
  auto& given = run.given;
  auto* show = add_trace_file_command(
    traces, run, "show", "Shows a trace as a timeline", [&run, &given] {
      return show_trace_command(given.trace_file, given.trace, given.json,
                                run.out, run.err);
    });
  add_span(show, run);
  show->add_option(
    "--id", given.trace.id,
    "Only records that hold this text, such as a transaction id");
  add_json(show, run);
  auto* cut = add_trace_file_command(
    traces, run, "cut", "Cuts out what one actor needs to be replayed",
    [&run, &given] {
      return cut_trace_command(given.trace_file, given.trace, given.out_folder,
                               run.out, run.err);
    });
  add_span(cut, run);
  cut->add_option("--out", given.out_folder, "The file to write to");
  add_trace_file_command(
    traces, run, "replay",
    "Lets fresh actors handle a trace again and compares what they do",
    [&run, &given] {
      return replay_trace_command(given.trace_file, given.trace, run.out,
                                  run.err);
    });
}

void add_trace_commands(CLI::App& app, commands& run) {
  auto* traces
    = app.add_subcommand("trace", "Records, shows and replays what actors do");
  traces->require_subcommand(1);
  add_trace_file_commands(*traces, run);
  auto* start = add_command(
    *traces, run, "start", "Begins a trace in a running Weir", [&run] {
      return with_admin(run, [&run](const admin_call& call) {
        return start_trace_command(call, run.given.order, run.given.json,
                                   run.out, run.err);
      });
    });
  start->add_option("--actor", run.given.order.actors,
                    "Only of this actor: NAME or NAME*; repeatable");
  start->add_flag("--with-content", run.given.order.with_content,
                  "Also writes event bodies and tokens");
  add_json(start, run);
  auto* stop = add_command(*traces, run, "stop", "Ends it", [&run] {
    return with_admin(run, [&run](const admin_call& call) {
      return stop_trace_command(call, run.given.json, run.out, run.err);
    });
  });
  add_json(stop, run);
  auto* status = add_command(
    *traces, run, "status", "Tells whether a trace is written", [&run] {
      return with_admin(run, [&run](const admin_call& call) {
        return trace_status_command(call, run.given.json, run.out, run.err);
      });
    });
  add_json(status, run);
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

} // namespace

int run_command_line(int argc, const char* const* argv,
                     const command_line_parts& parts, std::ostream& out,
                     std::ostream& err) {
  CLI::App app{"Delivers a homeserver's transactions to every bridge, durably "
               "and in order.",
               "weir"};
  commands run{{}, parts, out, err, {}};
  app.require_subcommand(1);
  add_local_commands(app, run);
  add_admin_commands(app, run);
  add_trace_commands(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& refused) {
    err << unknown_command(app, {argv + 1, argv + std::max(argc, 1)});
    return app.exit(refused, out, err) == 0 ? exit_ok : exit_usage;
  }
  return run.chosen();
}

} // namespace weir
