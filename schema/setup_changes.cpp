#include "schema/setup_changes.hpp"

#include <map>

namespace weir {

namespace {

using registrations_by_id
  = std::map<std::string, const appservice_registration*>;

registrations_by_id by_id(const loaded_setup& setup) {
  registrations_by_id result;
  for (const auto& one : setup.registrations)
    result.emplace(one.id.value, &one);
  return result;
}

/// Namespaces too: the homeserver's copy has to be written again for them.
bool same_file(const appservice_registration& one,
               const appservice_registration& other) {
  return one.document_hash == other.document_hash;
}

bool served_alike(const std::string& id, const loaded_setup& one,
                  const loaded_setup& other) {
  return options_of(one.settings, id) == options_of(other.settings, id);
}

std::vector<std::string> kept_until_restart(const config& now,
                                            const config& then) {
  std::vector<std::string> keys;
  const auto compare
    = [&keys](const char* key, const auto& one, const auto& other) {
        if (!(one == other))
          keys.emplace_back(key);
      };
  compare("listen", now.listen, then.listen);
  compare("public_url", now.public_url, then.public_url);
  compare("admin", now.admin, then.admin);
  compare("homeserver", now.homeserver, then.homeserver);
  compare("storage", now.storage, then.storage);
  compare("listener", now.listener, then.listener);
  compare("producers", now.producers, then.producers);
  compare("realms", now.realms, then.realms);
  compare("delayed_events", now.delayed_events, then.delayed_events);
  compare("actors", now.actors, then.actors);
  compare("drain", now.drain, then.drain);
  compare("log", now.log, then.log);
  compare("trace", now.trace, then.trace);
  return keys;
}

} // namespace

setup_changes changes_between(const loaded_setup& in_force,
                              const loaded_setup& read) {
  setup_changes result;
  const auto now = by_id(in_force);
  const auto then = by_id(read);
  for (const auto& [id, one] : then) {
    const auto found = now.find(id);
    if (found == now.end())
      result.added.push_back(id);
    else if (!same_file(*found->second, *one)
             || !served_alike(id, in_force, read))
      result.changed.push_back(id);
  }
  for (const auto& [id, one] : now)
    if (!then.contains(id))
      result.removed.push_back(id);
  result.need_restart = kept_until_restart(in_force.settings, read.settings);
  return result;
}

loaded_setup with_appservices_of(loaded_setup in_force,
                                 const loaded_setup& read) {
  in_force.settings.appservices = read.settings.appservices;
  in_force.registrations = read.registrations;
  in_force.hs_tokens_unique = read.hs_tokens_unique;
  in_force.warnings = read.warnings;
  return in_force;
}

std::vector<config_problem> reload_problems(const loaded_setup& in_force,
                                            const loaded_setup& read) {
  auto problems = read.problems;
  if (problems.empty() && read.registrations.empty()
      && !in_force.registrations.empty())
    problems.push_back({read.config_path, 0, 0, "appservices.registrations",
                        "expected a registration at least, only a restart lets "
                        "go of all"});
  return problems;
}

} // namespace weir
