#include "http/cli/command_line.hpp"
#include "http/cli/commands.hpp"
#include "schema/config_values.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <ostream>

namespace weir {

namespace {

namespace fs = std::filesystem;

/// A file to be written, and the appservice it is about.
struct planned_file {
  std::string path;
  std::string id;
  std::string text;
};

std::string file_of(const std::string& folder, std::string_view id) {
  return (fs::path{folder} / (encode_path_segment(id) + ".yaml")).string();
}

/// Weir's own registration keeps the tokens of the file that is there, so that
/// the homeserver need not be told anew.
planned_file plan_own(const config& settings, const std::string& folder) {
  const auto path = file_of(folder, own_appservice_id);
  own_tokens tokens;
  if (const auto file = read_file(path, registration_bytes_max))
    tokens = read_own_tokens(file.value().bytes);
  if (!settings.homeserver.as_token.empty())
    tokens.as_token = settings.homeserver.as_token;
  if (tokens.as_token.empty())
    tokens.as_token = new_token();
  if (tokens.hs_token.empty())
    tokens.hs_token = new_token();
  return {path, std::string{own_appservice_id},
          emit_weir_registration(settings.homeserver.name, tokens.as_token,
                                 tokens.hs_token)};
}

std::vector<planned_file> plan(const loaded_setup& setup,
                               const std::string& folder) {
  std::vector<planned_file> files;
  for (const auto& one : setup.registrations)
    files.push_back({file_of(folder, one.id.value), one.id.value,
                     emit_homeserver_copy(one, setup.settings.public_url)});
  files.push_back(plan_own(setup.settings, folder));
  return files;
}

/// Why `file` must not be written, or empty.
std::string objection_to(const planned_file& file, const loaded_setup& setup) {
  std::error_code failure;
  for (const auto& one : setup.registrations)
    if (fs::equivalent(one.source_file, file.path, failure))
      return "is a bridge's own registration, choose another folder";
  const auto present = read_file(file.path, registration_bytes_max);
  if (!present)
    return present.error().code == ec::not_found ? "" : present.error().context;
  if (registration_id_of(present.value().bytes) != file.id)
    return fmt::format("is there already and is no registration of {}, choose "
                       "another folder",
                       file.id);
  return {};
}

/// Writes what differs from what is there.
expected<void> write_all(const std::vector<planned_file>& files,
                         std::ostream& out) {
  for (const auto& file : files) {
    const auto present = read_file(file.path, registration_bytes_max);
    if (present && present.value().bytes == file.text
        && !present.value().others_may_read) {
      out << "unchanged " << file.path << '\n';
      continue;
    }
    WEIR_TRY(write_private_file(file.path, file.text));
    out << "wrote " << file.path << '\n';
  }
  return ok();
}

void explain(const std::vector<planned_file>& files, std::ostream& out) {
  out << "\nIn homeserver.yaml, in the place of the bridges' own files:\n\n"
         "app_service_config_files:\n";
  for (const auto& file : files)
    out << "  - \"" << file.path << "\"\n";
  out << "\nThe homeserver must be able to read these files, which only their "
         "owner can, and\nreads them when it starts.\n";
}

/// Puts a token that was made here where the configuration names it or can.
expected<void> keep_token(const config& settings, const std::string& folder,
                          const std::string& registration,
                          const std::string& config_path, std::ostream& out) {
  const auto& named = settings.homeserver.as_token_file;
  const auto path
    = named.empty() ? (fs::path{folder} / "weir.token").string() : named;
  const auto token = read_own_tokens(registration).as_token;
  const auto present = read_token_file(path);
  if (present && present.value() == token) {
    out << "kept " << path << '\n';
  } else {
    WEIR_TRY(write_private_file(path, token + "\n"));
    out << "wrote " << path << '\n';
  }
  if (named.empty())
    out << "\nIn " << config_path
        << ", for Weir's own requests:\n\nhomeserver:\n  as_token_file: \""
        << path << "\"\n";
  return ok();
}

/// The token file is ours to make, so it may be missing here.
void forgive_missing_token_file(loaded_setup& setup) {
  const auto& file = setup.settings.homeserver.as_token_file;
  std::error_code failure;
  if (!file.empty() && !fs::exists(file, failure) && !failure)
    std::erase_if(setup.problems, [](const config_problem& problem) {
      return problem.key == "homeserver.as_token_file";
    });
}

} // namespace

int registration_command(const std::string& config_path,
                         const std::string& folder, std::ostream& out,
                         std::ostream& err) {
  auto setup = load_setup(config_path);
  forgive_missing_token_file(setup);
  print_problems(setup.problems, "", err);
  if (!setup.problems.empty())
    return exit_failed;
  std::error_code failure;
  const auto absolute = fs::absolute(folder, failure).lexically_normal();
  fs::create_directory(absolute, failure);
  if (failure) {
    err << absolute.string() << ": " << failure.message() << '\n';
    return exit_failed;
  }
  const auto files = plan(setup, absolute.string());
  bool has_objections = false;
  for (const auto& file : files)
    if (const auto objection = objection_to(file, setup); !objection.empty()) {
      err << file.path << ": " << objection << '\n';
      has_objections = true;
    }
  if (has_objections)
    return exit_failed;
  auto done = write_all(files, out);
  if (done && setup.settings.homeserver.as_token.empty())
    done = keep_token(setup.settings, absolute.string(), files.back().text,
                      config_path, out);
  if (!done) {
    err << done.error().context << '\n';
    return exit_failed;
  }
  explain(files, out);
  return exit_ok;
}

} // namespace weir
