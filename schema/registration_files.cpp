#include "schema/own_address.hpp"
#include "schema/registration.hpp"
#include "schema/yaml.hpp"

#include <fmt/core.h>
#include <glob.h>

#include <map>
#include <set>

namespace weir {

namespace {

/// The files that one glob names; a problem or a warning when there are none.
std::vector<std::string> expand(const std::string& pattern,
                                loaded_registrations& into) {
  glob_t found{};
  const int failed = ::glob(pattern.c_str(), GLOB_ERR, nullptr, &found);
  std::vector<std::string> paths;
  if (failed == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  const bool has_wildcard = pattern.find_first_of("*?[") != std::string::npos;
  if (failed == GLOB_NOMATCH && has_wildcard)
    into.warnings.push_back({pattern, 0, 0, "", "names no registration yet"});
  else if (failed == GLOB_NOMATCH)
    into.problems.push_back(
      {pattern, 0, 0, "", "expected a registration file here, found nothing"});
  else if (failed != 0)
    into.problems.push_back(
      {pattern, 0, 0, "", "expected a folder that is there and may be read"});
  return paths;
}

/// Reports the second owner of an id or an as_token, naming the first.
void check_unique(loaded_registrations& into) {
  std::map<std::string, const appservice_registration*> ids, tokens;
  std::set<std::string> hs_tokens;
  for (const auto& one : into.registrations) {
    const auto claim
      = [&](auto& owners, const std::string& value, const std::string& key,
            int line, const std::string& shown) {
          const auto [owner, is_new] = owners.try_emplace(value, &one);
          if (!is_new)
            into.problems.push_back(
              {one.source_file, line, 1, key,
               fmt::format("expected {} of its own, {} has it too", shown,
                           owner->second->source_file)});
        };
    claim(ids, one.id.value, "id", one.id_line, "an id");
    claim(tokens, one.as_token, "as_token", one.as_token_line,
          fmt::format("a token ({})", token_fingerprint(one.as_token)));
    if (!hs_tokens.insert(one.hs_token).second)
      into.hs_tokens_unique = false;
  }
}

void load_one(const std::string& path, loaded_registrations& into) {
  const auto file = read_file(path, registration_bytes_max);
  if (!file) {
    into.problems.push_back(
      {path, 0, 0, "",
       "expected a readable registration, " + file.error().context});
    return;
  }
  if (file.value().others_may_read)
    into.warnings.push_back(
      {path, 0, 0, "", "holds tokens and others may read it"});
  parse_registration(path, file.value().bytes, into);
}

/// What must hold between the configuration and the registrations.
void check_setup(loaded_setup& setup, const std::string& path,
                 const std::map<std::string, int>& override_lines) {
  std::set<std::string> ids;
  for (const auto& one : setup.registrations) {
    ids.insert(one.id.value);
    if (one.as_token == setup.settings.homeserver.as_token)
      setup.problems.push_back(
        {one.source_file, one.as_token_line, 1, "as_token",
         "expected a token of its own, homeserver.as_token is the same"});
    if (one.url && leads_to_weir(setup.settings, *one.url))
      setup.problems.push_back(
        {one.source_file, one.url_line, 1, "url",
         "expected the bridge's own address, this is Weir's (the copy that "
         "weir registration writes is for the homeserver)"});
  }
  if (setup.settings.appservices.registrations.empty())
    setup.warnings.push_back({path, 0, 0, "appservices.registrations",
                              "names no registration, so that nothing is taken "
                              "in"});
  for (const auto& [id, line] : override_lines)
    if (!ids.contains(id))
      setup.problems.push_back({path, line, 1, "appservices.overrides." + id,
                                "expected the id of a registration that is "
                                "loaded"});
}

template <class T>
void append(std::vector<T>& into, std::vector<T>& from) {
  into.insert(into.end(), std::make_move_iterator(from.begin()),
              std::make_move_iterator(from.end()));
}

} // namespace

loaded_registrations load_registrations(const std::vector<std::string>& globs,
                                        documents use) {
  loaded_registrations result;
  result.kept = use;
  std::set<std::string> paths;
  for (const auto& pattern : globs)
    for (auto& path : expand(pattern, result))
      paths.insert(std::move(path));
  if (paths.size() > registrations_max) {
    result.problems.push_back(
      {*paths.begin(), 0, 0, "",
       fmt::format("expected at most {} registrations", registrations_max)});
    return result;
  }
  for (const auto& path : paths)
    load_one(path, result);
  check_unique(result);
  return result;
}

loaded_setup load_setup(const std::string& config_path, documents use) {
  auto loaded = load_config(config_path);
  loaded_setup result;
  result.config_path = config_path;
  result.settings = std::move(loaded.settings);
  result.problems = std::move(loaded.problems);
  result.warnings = std::move(loaded.warnings);
  auto found
    = load_registrations(result.settings.appservices.registrations, use);
  const bool all_read = found.problems.empty();
  append(result.problems, found.problems);
  append(result.warnings, found.warnings);
  result.registrations = std::move(found.registrations);
  result.hs_tokens_unique = found.hs_tokens_unique;
  // A registration that is wrong itself would make its override look so too.
  check_setup(result, config_path,
              all_read ? loaded.override_lines : std::map<std::string, int>{});
  return result;
}

} // namespace weir
