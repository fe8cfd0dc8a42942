#include "schema/config_kinds.hpp"

#include <algorithm>

namespace weir {

namespace {

using namespace std::chrono_literals;

constexpr size_t device_bytes_max = 255;

expected<std::string> parse_user_id(std::string_view text) {
  constexpr size_t user_bytes_max = 255;
  const auto colon = text.find(':');
  if (text.size() > user_bytes_max || !text.starts_with('@') || colon < 2
      || colon == std::string_view::npos
      || !check_server_name(text.substr(colon + 1)))
    return fail(ec::invalid_argument,
                "expected a user id such as @weir:example.org");
  return std::string{text};
}

expected<std::string> parse_device_id(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
      || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  };
  if (text.empty() || text.size() > device_bytes_max
      || !std::all_of(text.begin(), text.end(), is_plain))
    return fail(ec::invalid_argument,
                "expected letters, digits, '_', '-' and '.', at most 255");
  return std::string{text};
}

void read_ordered(config& target, const yaml_node& node, const std::string& key,
                  config_reading& reading) {
  constexpr std::string_view wanted = "expected a list of realm ids";
  target.realms.ordered.clear();
  if (!node.is_list())
    return reading.problem(node, key, std::string{wanted});
  for (const auto& item : node.items) {
    if (item.is_scalar() && !item.text.empty())
      target.realms.ordered.push_back(item.text);
    else
      reading.problem(item, key, std::string{wanted});
  }
}

void add_sender(option_table<config>& table) {
  using namespace kinds;
  table.push_back(text<config>(
    "homeserver.user_id", "user id",
    [](auto& c) -> auto& { return c.homeserver.user_id; }, parse_user_id,
    "Who sends realm events. With the `as_token` any user of the homeserver "
    "that Weir's registration covers. Default: `@weir:` and "
    "`homeserver.name`."));
  table.push_back(text<config>(
    "homeserver.device_id", "device id",
    [](auto& c) -> auto& { return c.homeserver.device_id; }, parse_device_id,
    "Its device, in which the homeserver remembers transaction ids. Changing "
    "it while sends are under way can send them twice."));
  table.push_back(token<config>(
    "homeserver.password",
    [](auto& c) -> auto& { return c.homeserver.password; },
    "Logs that user in with a password instead of the `as_token`."));
  table.push_back(token_file<config>(
    "homeserver.password_file",
    [](auto& c) -> auto& { return c.homeserver.password; },
    "A file with that password."));
}

} // namespace

void add_realm_options(option_table<config>& table) {
  using namespace kinds;
  add_sender(table);
  table.push_back({"realms.ordered", "list of realm ids", "",
                   "Realms in which no room sees an event before all rooms "
                   "have seen the one before; `*` matches any characters. In "
                   "all others a slow room delays itself alone.",
                   read_ordered, [](const config&) { return std::string{}; }});
  table.push_back(duration<config>(
    "realms.audience_wait",
    [](auto& c) -> auto& { return c.realms.audience_wait; }, 0s, 1h,
    "How long an event of a realm without rooms waits for a first one before "
    "it is over."));
  table.push_back(size<config>(
    "realms.queued_bytes_max",
    [](auto& c) -> auto& { return c.realms.queued_bytes_max; },
    uint64_t{1} << 20, uint64_t{64} << 30,
    "Events of one realm that are not over; then its producer is answered "
    "429."));
  table.push_back(size<config>(
    "realms.queued_bytes_max_all",
    [](auto& c) -> auto& { return c.realms.queued_bytes_max_all; },
    uint64_t{1} << 20, uint64_t{1} << 40,
    "The same of all realms together; then any producer is answered 503. At "
    "least `realms.queued_bytes_max`."));
}

} // namespace weir
