#include "http/cli/control_commands.hpp"

#include "http/cli/admin_commands.hpp"
#include "http/cli/answer_fields.hpp"
#include "http/cli/text_table.hpp"
#include "schema/config_values.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>

namespace weir {

namespace {

using nlohmann::json;

constexpr size_t columns_max = 80;
constexpr size_t text_max = 400;
constexpr size_t id_max = 40;
/// Between two looks at a drain.
constexpr milliseconds look_every{500};
constexpr std::string_view api = "/_weir/admin/v1";

std::string text_of(const json& object, const char* key,
                    size_t longest = text_max) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    return {};
  return printable(found->get_ref<const std::string&>(), longest);
}

int64_t number_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer()
    ? found->get<int64_t>()
    : 0;
}

std::vector<json> objects_of(const json& answer, const char* key) {
  std::vector<json> objects;
  const auto found = answer.find(key);
  if (found != answer.end() && found->is_array())
    for (const auto& each : *found)
      if (each.is_object())
        objects.push_back(each);
  return objects;
}

int64_t owed_of(const json& queue) {
  return number_of(queue, "depth_events") + number_of(queue, "depth_other");
}

std::vector<std::string> queue_cells(const json& queue, int64_t as_of) {
  const auto next = number_of(queue, "next_at_ms");
  return {text_of(queue, "id", id_max),
          shown_state(queue),
          show_span(shown_for(queue, as_of)),
          fmt::format("{}", owed_of(queue)),
          show_span(number_of(queue, "oldest_age_ms")),
          next > as_of ? "in " + show_span(next - as_of) : "-",
          text_of(queue, "cause", 30)};
}

void print_fact(std::ostream& out, const char* name, const std::string& text) {
  constexpr size_t indent = 10;
  out << wrapped(fmt::format("  {:<8}{}", name, text), indent, columns_max)
      << '\n';
}

/// What it has been since the cause holds: of a removed one and a slow send the
/// state says something else.
std::string word_of(const json& queue, const std::string& cause) {
  if (cause == "not_configured")
    return "removed";
  return cause == "sending" ? cause : text_of(queue, "state");
}

std::string head_of(const json& queue, const json& told, int64_t as_of) {
  const auto cause = text_of(told, "cause");
  auto head = fmt::format("{}: {}", text_of(queue, "id", id_max), cause);
  const auto since = number_of(told, "since_ms");
  if (since > 0 && since < as_of)
    head += fmt::format(", {} for {}, since {}", word_of(queue, cause),
                        show_span(as_of - since), show_moment(since));
  return wrapped(head, 0, columns_max);
}

/// `connect_refused, 5s ago: Connection refused`; empty when there was none.
std::string last_error_of(const json& queue, int64_t as_of) {
  auto told = text_of(queue, "last_error");
  if (const auto at = number_of(queue, "last_error_at_ms");
      at > 0 && at < as_of)
    told += fmt::format(", {} ago", show_span(as_of - at));
  if (const auto text = text_of(queue, "last_error_text"); !text.empty())
    told += ": " + text;
  return told;
}

/// What holds beside the cause, which may be another.
void print_held(const json& queue, std::ostream& out) {
  if (const auto full = queue.find("full");
      full != queue.end() && full->is_boolean() && full->get<bool>())
    print_fact(out, "full",
               "the homeserver's requests are held: it is at its "
               "bound");
  else if (const auto near = text_of(queue, "near_bounds"); !near.empty())
    print_fact(out, "near", "its bounds: " + near);
  if (const auto letters = number_of(queue, "dead_letters"); letters > 0)
    print_fact(
      out, "letters",
      fmt::format("{} dead, see weir dead-letters list --appservice {}",
                  letters, text_of(queue, "id", id_max)));
}

std::string show_times(int64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

void print_explanation(const json& queue, std::ostream& out) {
  const auto as_of = number_of(queue, "as_of_ms");
  const auto found = queue.find("explanation");
  const auto told = found != queue.end() ? *found : json::object();
  out << head_of(queue, told, as_of) << '\n'
      << wrapped(text_of(told, "why"), 0, columns_max) << "\n\n";
  auto owed = fmt::format("{}", owed_of(queue));
  if (const auto age = number_of(queue, "oldest_age_ms"); age > 0)
    owed += ", the oldest for " + show_span(age);
  print_fact(out, "owed", owed);
  if (const auto pinned = text_of(queue, "pinned_txn"); !pinned.empty())
    print_fact(out, "pinned",
               pinned + ", tried " + show_times(number_of(queue, "attempts")));
  if (const auto since = number_of(queue, "sending_since_ms"); since > 0)
    print_fact(out, "sending", "for " + show_span(as_of - since));
  print_held(queue, out);
  if (const auto error = last_error_of(queue, as_of); !error.empty())
    print_fact(out, "error", error);
  const auto next = number_of(queue, "next_at_ms");
  print_fact(out, "next",
             (next > as_of ? "in " + show_span(next - as_of) + ": " : "")
               + text_of(told, "next"));
  print_fact(out, "do", text_of(told, "todo"));
}

std::string order_path(const queue_order& what) {
  auto by = what.by.empty() ? system_user() : what.by;
  auto path = fmt::format("{}/queues/{}/{}?by={}", api,
                          encode_path_segment(what.appservice), what.verb,
                          encode_path_segment(by));
  if (!what.reason.empty())
    path += "&reason=" + encode_path_segment(what.reason);
  if (!what.txn.empty())
    path += "&txn=" + encode_path_segment(what.txn);
  if (what.force)
    path += "&force=true";
  return path;
}

} // namespace

std::string system_user() {
  if (const auto* behind_sudo = std::getenv("SUDO_USER"))
    return behind_sudo;
  const auto* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_name : "";
}

std::string wrapped(const std::string& text, size_t indent, size_t columns) {
  std::string result;
  size_t column = 0;
  for (size_t at = 0; at < text.size();) {
    // Spaces that stand together stay together, as at the head of a line.
    const auto word_from
      = std::min(text.find_first_not_of(' ', at), text.size());
    const auto end = std::min(text.find(' ', word_from), text.size());
    const bool breaks = column > indent && column + (end - at) > columns;
    if (breaks) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    }
    const auto from = breaks ? word_from : at;
    result += text.substr(from, end - from);
    column += end - from;
    at = end;
  }
  return result;
}

int queues_command(const admin_call& call, int64_t after, uint32_t limit,
                   bool raw, std::ostream& out, std::ostream& err) {
  const auto answer = ask_admin(
    call, "GET", fmt::format("{}/queues?after={}&limit={}", api, after, limit),
    raw, out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  std::vector<std::vector<std::string>> rows{
    {"APPSERVICE", "STATE", "FOR", "OWED", "OLDEST", "NEXT", "CAUSE"}};
  for (const auto& each : objects_of(*answer, "queues"))
    rows.push_back(queue_cells(each, number_of(*answer, "as_of_ms")));
  out << (rows.size() > 1 ? text_table(rows) : "no queues\n");
  if (const auto next = number_of(*answer, "next"); next > 0)
    out << "more: --after " << next << '\n';
  return exit_ok;
}

int explain_command(const admin_call& call, const std::string& appservice,
                    bool raw, std::ostream& out, std::ostream& err) {
  const auto answer = ask_admin(
    call, "GET",
    fmt::format("{}/queues/{}/explain", api, encode_path_segment(appservice)),
    raw, out, err);
  if (!answer)
    return exit_failed;
  if (!raw)
    print_explanation(*answer, out);
  return exit_ok;
}

int queue_order_command(const admin_call& call, const queue_order& what,
                        bool raw, std::ostream& out, std::ostream& err) {
  const auto answer = ask_admin(call, "POST", order_path(what), raw, out, err);
  if (!answer)
    return exit_failed;
  if (!raw)
    out << wrapped(text_of(*answer, "says"), 0, columns_max) << '\n';
  return exit_ok;
}

int commands_command(const admin_call& call, int64_t before, uint32_t limit,
                     bool raw, std::ostream& out, std::ostream& err) {
  auto path = fmt::format("{}/commands?limit={}", api, limit);
  if (before > 0)
    path += fmt::format("&before={}", before);
  const auto answer = ask_admin(call, "GET", path, raw, out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  std::vector<std::vector<std::string>> rows{
    {"ID", "WHEN", "BY", "VERB", "TARGET", "RESULT"}};
  for (const auto& each : objects_of(*answer, "commands"))
    rows.push_back({fmt::format("{}", number_of(each, "id")),
                    show_moment(number_of(each, "at_ms")),
                    text_of(each, "by", id_max), text_of(each, "verb"),
                    text_of(each, "target", id_max),
                    text_of(each, "result", 60)});
  if (const auto older = number_of(*answer, "before"); older > 0)
    out << "older: --before " << older << '\n';
  out << (rows.size() > 1 ? text_table(rows) : "no commands\n");
  return exit_ok;
}

int drain_command(const admin_call& call, milliseconds timeout, bool raw,
                  const std::function<void(milliseconds)>& pause,
                  std::ostream& out, std::ostream& err) {
  const auto path = std::string{api} + "/drain";
  const auto begun = ask_admin(call, "POST", path, false, out, err);
  if (!begun)
    return exit_failed;
  auto told = number_of(*begun, "in_flight");
  if (!raw)
    out << "draining, " << told << " in flight\n" << std::flush;
  for (milliseconds waited{0}; waited < timeout; waited += look_every) {
    const auto answer = call("GET", path);
    if (!answer) { // Nobody listens there any more.
      out << (raw ? "{\"drained\":true}\n" : "drained, weir has ended\n");
      return exit_ok;
    }
    const auto now = json::parse(answer.value().body, nullptr, false);
    const auto in_flight = now.is_object() ? number_of(now, "in_flight") : told;
    if (!raw && in_flight != told)
      out << in_flight << " in flight\n" << std::flush;
    told = in_flight;
    pause(look_every);
  }
  err << "weir has not ended in time, " << told
      << " in flight; it goes on to end by itself\n";
  if (raw)
    out << "{\"drained\":false,\"in_flight\":" << told << "}\n";
  return exit_failed;
}

} // namespace weir
