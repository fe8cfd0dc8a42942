#include "http/cli/command_tree.hpp"

#include "http/cli/commands.hpp"

#include "http/cli/text_table.hpp"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <ostream>
#include <system_error>

namespace weir {

namespace {

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

} // namespace

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

CLI::Validator whole_number_from(int64_t least) {
  const auto check = [least](const std::string& text) {
    int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    const bool fits = read.ec == std::errc{} && read.ptr == end;
    return fits && number >= least
      ? std::string{}
      : fmt::format("expected a whole number from {} on, not {}", least,
                    printable(text, 40));
  };
  return {check, "", "whole number"};
}

void add_json(CLI::App* command, commands& run) {
  command->add_flag("--json", run.given.json, "Prints the answer as JSON");
}

} // namespace weir
