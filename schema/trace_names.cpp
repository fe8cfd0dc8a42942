#include "schema/trace_names.hpp"

#include <algorithm>
#include <array>

namespace weir {

namespace {

/// Those that end in '/' have a number or an appservice's id behind it.
constexpr std::array<std::string_view, 14> names{
  "appservice/",        "directory",     "gateway",      "homeserver_pinger",
  "homeserver_session", "janitor",       "pacer",        "realm/",
  "realm_directory",    "realm_gateway", "store_reader", "store_writer/",
  "supervisor",         "transport"};

bool is_one_of_many(std::string_view name) {
  return name.ends_with('/');
}

} // namespace

bool may_name_actor(std::string_view pattern) {
  const bool is_open = pattern.ends_with('*');
  const auto end = is_open ? pattern.size() - 1 : pattern.rfind('#');
  const auto wanted = pattern.substr(0, end);
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    if (is_open && name.starts_with(wanted))
      return true;
    return is_one_of_many(name)
      ? wanted.size() + (is_open ? 1 : 0) > name.size()
        && wanted.starts_with(name)
      : wanted == name;
  });
}

std::string known_actors() {
  std::string list;
  for (const auto name : names) {
    list += list.empty() ? "" : ", ";
    list += name;
    list += is_one_of_many(name) ? "*" : "";
  }
  return list;
}

} // namespace weir
