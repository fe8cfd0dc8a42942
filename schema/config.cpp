#include "schema/config.hpp"

#include "schema/config_kinds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace weir {

namespace {

constexpr size_t config_bytes_max = size_t{1} << 20; ///< A person wrote it.

/// In the order of the file, as a person will go through them.
void sort_problems(std::vector<config_problem>& problems) {
  std::stable_sort(problems.begin(), problems.end(),
                   [](const config_problem& a, const config_problem& b) {
                     return std::tie(a.line, a.column)
                       < std::tie(b.line, b.column);
                   });
}

} // namespace

std::string_view to_string(poison_policy what) noexcept {
  return what == poison_policy::block ? "block" : "dead_letter";
}

std::string_view to_string(overflow_policy what) noexcept {
  return what == overflow_policy::hold ? "hold" : "dead_letter_oldest";
}

const appservice_options& options_of(const config& settings,
                                     const std::string& id) {
  const auto found = settings.appservices.overrides.find(id);
  return found == settings.appservices.overrides.end()
    ? settings.appservices.defaults
    : found->second;
}

std::string to_string(const config_problem& problem) {
  auto text = problem.file;
  if (problem.line > 0)
    text += fmt::format(":{}", problem.line);
  text += ": ";
  if (!problem.key.empty())
    text.append(problem.key).append(": ");
  return text.append(problem.what);
}

config_reading::config_reading(std::string file, loaded_config& into)
  : file_{std::move(file)},
    into_{into} {
}

void config_reading::problem(const yaml_node& at, const std::string& key,
                             std::string what) {
  into_.problems.push_back({file_, at.line, at.column, key, std::move(what)});
}

void config_reading::problem(const std::string& key, std::string what) {
  const auto [line, column] = place_of(key);
  into_.problems.push_back({file_, line, column, key, std::move(what)});
}

void config_reading::warning(const std::string& key, std::string what) {
  const auto [line, column] = place_of(key);
  into_.warnings.push_back({file_, line, column, key, std::move(what)});
}

void config_reading::note(const yaml_node& at, const std::string& key) {
  places_[key] = {at.line, at.column};
}

bool config_reading::has(const std::string& key) const {
  return places_.contains(key);
}

config_place config_reading::place_of(const std::string& key) const {
  for (auto part = key; !part.empty();) {
    if (const auto found = places_.find(part); found != places_.end())
      return found->second;
    const auto dot = part.rfind('.');
    part.resize(dot == std::string::npos ? 0 : dot);
  }
  return {};
}

void config_reading::later(std::function<void()> step) {
  later_.push_back(std::move(step));
}

void config_reading::run_later() {
  for (const auto& step : std::exchange(later_, {}))
    step();
}

std::string config_reading::resolve(const std::string& path) const {
  const auto folder = std::filesystem::path{file_}.parent_path();
  return (folder / path).lexically_normal().string();
}

loaded_config parse_config(const std::string& path, std::string_view text,
                           bool others_may_read) {
  loaded_config result;
  config_reading reading{path, result};
  const auto document = read_yaml(text);
  for (const auto& found : document.problems)
    result.problems.push_back(
      {path, found.line, found.column, found.key, found.what});
  if (document.root.is_map())
    kinds::read_section(config_options(), result.settings, document.root, "",
                        "", reading);
  else if (document.problems.empty() && !document.root.is_null())
    reading.problem(document.root, "", "expected keys and values");
  reading.run_later();
  // A file that is no YAML would only be told that everything is missing.
  if (document.root.is_map() || document.problems.empty())
    check_together(result.settings, reading);
  for (const auto& [id, unused] : result.settings.appservices.overrides) {
    const auto place = reading.place_of("appservices.overrides." + id);
    result.override_lines[id] = place.line;
  }
  if (others_may_read && holds_secret(reading, result.settings))
    result.warnings.push_back(
      {path, 0, 0, "",
       "holds secrets and others may read it, run chmod o-rwx on it"});
  sort_problems(result.problems);
  sort_problems(result.warnings);
  return result;
}

loaded_config load_config(const std::string& path) {
  const auto file = read_file(path, config_bytes_max);
  if (!file) {
    loaded_config result;
    result.problems.push_back(
      {path, 0, 0, "",
       "expected a readable configuration file, " + file.error().context});
    return result;
  }
  return parse_config(path, file.value().bytes, file.value().others_may_read);
}

} // namespace weir
