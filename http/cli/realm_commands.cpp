#include "http/cli/realm_commands.hpp"

#include "http/cli/admin_commands.hpp"
#include "http/cli/answer_fields.hpp"
#include "http/cli/control_commands.hpp"
#include "http/cli/text_table.hpp"
#include "schema/config_values.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ostream>
#include <vector>

namespace weir {

namespace {

using nlohmann::json;

constexpr std::string_view api = "/_weir/admin/v1/realms";
constexpr size_t id_columns_max = 64;
constexpr size_t text_columns_max = 400;
constexpr size_t columns_max = 80;

std::string path_of(const std::string& realm, std::string_view rest = {}) {
  return fmt::format("{}/{}{}", api, encode_path_segment(realm), rest);
}

std::string count(const json& from, const char* key) {
  return fmt::format("{}", number_at(from, key));
}

bool is_set(const json& from, const char* key) {
  const auto found = from.find(key);
  return found != from.end() && *found == true;
}

std::string bytes(const json& from, const char* key) {
  return show_bytes(static_cast<uint64_t>(number_at(from, key)));
}

void tell_next(const json& answer, std::ostream& out) {
  if (const auto next = text_at(answer, "next"); !next.empty())
    out << "more: --after " << next << '\n';
}

void fact(std::ostream& out, const char* name, const std::string& text) {
  constexpr size_t indent = 12;
  out << wrapped(fmt::format("  {:<10}{}", name, text), indent, columns_max)
      << '\n';
}

void print_facts(const json& realm, std::ostream& out) {
  fact(out, "queued",
       fmt::format("{} events, {}, the oldest for {}",
                   number_at(realm, "queued_events"),
                   bytes(realm, "queued_bytes"),
                   show_span(number_at(realm, "oldest_queued_age_ms"))));
  fact(out, "sends",
       fmt::format("{} to be made, {} delivered so far",
                   number_at(realm, "unsettled_sends"),
                   number_at(realm, "delivered")));
  fact(out, "audience",
       fmt::format("{} rooms, version {}", number_at(realm, "audience"),
                   number_at(realm, "audience_version")));
  if (const auto limit = text_at(realm, "limited_by"); !limit.empty())
    fact(out, "limit", limit);
  if (number_at(realm, "dead_letters") > 0)
    fact(out, "letters",
         count(realm, "dead_letters")
           + " dead, see weir realms dead-letters REALM");
}

} // namespace

int realms_command(const admin_call& call, int64_t after, uint32_t limit,
                   bool raw, std::ostream& out, std::ostream& err) {
  const auto answer = ask_admin(
    call, "GET", fmt::format("{}?after={}&limit={}", api, after, limit), raw,
    out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  const auto realms = list_at(*answer, "realms");
  if (realms.empty()) {
    out << "no realms\n";
    return exit_ok;
  }
  std::vector<std::vector<std::string>> rows{{"REALM", "STATE", "EVENTS",
                                              "BYTES", "OLDEST", "SENDS",
                                              "ROOMS", "DEAD LETTERS"}};
  for (const auto& one : realms)
    rows.push_back({or_dash(text_at(one, "realm", id_columns_max)),
                    is_set(one, "halted")      ? "paused"
                      : is_set(one, "deleted") ? "deleted"
                                               : "flowing",
                    count(one, "queued_events"), bytes(one, "queued_bytes"),
                    show_span(number_at(one, "oldest_queued_age_ms")),
                    count(one, "unsettled_sends"), count(one, "audience"),
                    count(one, "dead_letters")});
  out << text_table(rows);
  tell_next(*answer, out);
  return exit_ok;
}

int explain_realm_command(const admin_call& call, const std::string& realm,
                          bool raw, std::ostream& out, std::ostream& err) {
  const auto answer = ask_admin(call, "GET", path_of(realm), raw, out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  out << or_dash(text_at(*answer, "realm", id_columns_max)) << '\n'
      << wrapped(text_at(*answer, "why", text_columns_max), 0, columns_max)
      << "\n\n";
  print_facts(*answer, out);
  return exit_ok;
}

int realm_letters_command(const admin_call& call, const std::string& realm,
                          int64_t after, uint32_t limit, bool raw,
                          std::ostream& out, std::ostream& err) {
  const auto answer = ask_admin(
    call, "GET",
    path_of(realm,
            fmt::format("/dead-letters?after={}&limit={}", after, limit)),
    raw, out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  const auto events = list_at(*answer, "events");
  if (events.empty()) {
    out << "no dead letters\n";
    return exit_ok;
  }
  std::vector<std::vector<std::string>> rows{
    {"EVENT", "TYPE", "ROOMS", "DELIVERED", "FAILED", "ACCEPTED"}};
  for (const auto& one : events)
    rows.push_back({or_dash(text_at(one, "event_id", id_columns_max)),
                    or_dash(text_at(one, "type", id_columns_max)),
                    count(one, "targets"), count(one, "delivered"),
                    count(one, "failed"),
                    show_moment(number_at(one, "accepted_at_ms"))});
  out << text_table(rows);
  tell_next(*answer, out);
  return exit_ok;
}

int realm_order_command(const admin_call& call, const realm_order& what,
                        bool raw, std::ostream& out, std::ostream& err) {
  auto rest = "/" + what.verb;
  if (!what.event_id.empty())
    rest = "/events/" + encode_path_segment(what.event_id) + rest;
  const auto by = what.by.empty() ? system_user() : what.by;
  rest += "?by=" + encode_path_segment(by)
    + "&reason=" + encode_path_segment(what.reason);
  const auto answer
    = ask_admin(call, "POST", path_of(what.realm, rest), raw, out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  const auto name = printable(what.realm, id_columns_max);
  if (what.verb == "redeliver")
    out << "to be sent again: " << printable(what.event_id, id_columns_max)
        << '\n';
  else if (is_set(*answer, "halted"))
    out << "paused: " << name << '\n';
  else
    out << "flowing: " << name << '\n';
  return exit_ok;
}

} // namespace weir
