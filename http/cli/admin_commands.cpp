#include "http/cli/admin_commands.hpp"

#include "http/cli/answer_fields.hpp"
#include "http/cli/text_table.hpp"
#include "schema/config_values.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <ostream>
#include <sstream>

namespace weir {

namespace {

using nlohmann::json;

constexpr size_t error_columns_max = 60;
constexpr size_t id_columns_max = 64;

std::optional<json> ask(const admin_call& call, const std::string& path,
                        bool raw, std::ostream& out, std::ostream& err) {
  return ask_admin(call, "GET", path, raw, out, err);
}

std::vector<std::string> status_row(const json& one, int64_t as_of_ms) {
  auto state = shown_state(one);
  if (const auto cause = text_at(one, "cause", error_columns_max);
      !cause.empty() && cause != state)
    state += " (" + cause + ")";
  if (const auto full = one.find("full"); full != one.end() && *full == true)
    state += ", full"; // The homeserver is held, whatever the bridge does.
  auto failure = or_dash(text_at(one, "last_error", error_columns_max));
  if (const auto at = number_at(one, "last_error_at_ms");
      at > 0 && failure != "-" && at < as_of_ms)
    failure += fmt::format(" ({} ago)", show_span(as_of_ms - at));
  const auto next_at = number_at(one, "next_at_ms");
  const auto next = next_at == 0 ? std::string{"-"}
    : next_at <= as_of_ms        ? std::string{"now"}
                                 : "in " + show_span(next_at - as_of_ms);
  return {
    or_dash(text_at(one, "id", id_columns_max)),
    state,
    show_span(shown_for(one, as_of_ms)),
    fmt::format("{}",
                number_at(one, "depth_events") + number_at(one, "depth_other")),
    show_span(number_at(one, "oldest_age_ms")),
    fmt::format("{}", number_at(one, "attempts")),
    fmt::format("{}", number_at(one, "dead_letters")),
    next,
    failure};
}

/// As `weir check` prints one.
std::string problem_line(const json& one) {
  config_problem problem;
  problem.file = text_at(one, "file", 500);
  problem.line = static_cast<int>(number_at(one, "line"));
  problem.key = text_at(one, "key", 200);
  problem.what = text_at(one, "what", 500);
  return to_string(problem);
}

void tell_refused_reload(const json& problems, std::ostream& err) {
  for (const auto& one : problems)
    err << problem_line(one) << '\n';
  err << fmt::format(
    "not reloaded: nothing was changed and weir goes on as before; correct {} "
    "and run weir reload again\n",
    problems.size() == 1 ? "this problem" : "these problems");
}

} // namespace

std::optional<json> ask_admin(const admin_call& call, std::string_view method,
                              const std::string& path, bool raw,
                              std::ostream& out, std::ostream& err) {
  const auto answer = call(method, path);
  if (!answer) {
    err << "weir does not answer, is it running? "
        << printable(answer.error().context, 500) << '\n';
    return std::nullopt;
  }
  const auto& [status, body] = answer.value();
  if (status == 200 && raw) {
    out << body << (body.ends_with('\n') ? "" : "\n");
    return json::object();
  }
  auto parsed = json::parse(body, nullptr, false);
  if (status == 200 && parsed.is_object())
    return parsed;
  const auto what = parsed.is_object() ? text_at(parsed, "error", 500) : "";
  if (status == 401 || status == 403)
    err << "weir refuses the token in admin.token_file: " << or_dash(what)
        << '\n';
  else if (status == 404)
    err << "not found: " << or_dash(what) << '\n';
  else
    err << fmt::format("weir answered {}: {}\n", status,
                       what.empty() ? "no answer of its admin API" : what);
  return std::nullopt;
}

int status_command(const admin_call& call, bool raw, std::ostream& out,
                   std::ostream& err) {
  const auto answer = ask(call, "/_weir/admin/v1/status", raw, out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  const auto appservices = list_at(*answer, "appservices");
  if (appservices.empty()) {
    out << "no appservices\n";
    return exit_ok;
  }
  std::vector<std::vector<std::string>> rows{
    {"APPSERVICE", "STATE", "FOR", "DEPTH", "OLDEST", "ATTEMPTS",
     "DEAD LETTERS", "NEXT", "LAST ERROR"}};
  for (const auto& one : appservices)
    rows.push_back(status_row(one, number_at(*answer, "as_of_ms")));
  out << text_table(rows);
  return exit_ok;
}

int health_command(const admin_call& call, bool ready, std::ostream& out,
                   std::ostream& err) {
  const auto answer = ask(call, ready ? "/ready" : "/health", false, out, err);
  if (!answer)
    return exit_failed;
  out << or_dash(text_at(*answer, "status")) << '\n';
  return exit_ok;
}

int reload_command(const admin_call& call, bool raw, std::ostream& out,
                   std::ostream& err) {
  const auto path = "/_weir/admin/v1/reload";
  json problems = json::array();
  std::ostringstream unheard; // Problems tell more than the answer's sentence.
  const admin_call listening
    = [&](std::string_view method,
          std::string_view what) -> expected<admin_answer> {
    WEIR_TRY(auto answer, call(method, what));
    const auto body = json::parse(answer.body, nullptr, false);
    if (body.is_object())
      problems = list_at(body, "problems");
    return answer;
  };
  const auto answer = ask_admin(listening, "POST", path, raw, out, unheard);
  if (!answer) {
    if (problems.empty())
      err << unheard.str();
    else
      tell_refused_reload(problems, err);
    return exit_failed;
  }
  if (raw)
    return exit_ok;
  const auto tell = [&](const char* key, const std::string& words) {
    const auto found = answer->find(key);
    if (found != answer->end() && found->is_array())
      for (const auto& one : *found)
        out << words
            << printable(one.is_string() ? one.get<std::string>() : "",
                         id_columns_max)
            << '\n';
  };
  out << "reloaded\n";
  tell("added", "added    ");
  tell("changed", "changed  ");
  tell("removed", "removed  ");
  tell("need_restart", "changed, but waits for a restart: ");
  for (const auto& one : list_at(*answer, "warnings"))
    err << "warning: " << problem_line(one) << '\n';
  return exit_ok;
}

int list_dead_letters_command(const admin_call& call, const kept_filter& filter,
                              bool raw, std::ostream& out, std::ostream& err) {
  auto path = fmt::format("/_weir/admin/v1/dead-letters?after={}&limit={}",
                          filter.after, filter.limit);
  if (!filter.appservice.empty())
    path += "&appservice=" + encode_path_segment(filter.appservice);
  const auto answer = ask(call, path, raw, out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  const auto letters = list_at(*answer, "dead_letters");
  if (letters.empty()) {
    out << "no dead letters\n";
    return exit_ok;
  }
  std::vector<std::vector<std::string>> rows{{"ID", "APPSERVICE", "BURIED",
                                              "EVENT", "LANE", "BYTES",
                                              "ATTEMPTS", "REASON"}};
  for (const auto& one : letters)
    rows.push_back({or_dash(text_at(one, "id")),
                    or_dash(text_at(one, "appservice", id_columns_max)),
                    show_moment(number_at(one, "buried_at_ms")),
                    or_dash(text_at(one, "event_id", id_columns_max)),
                    or_dash(text_at(one, "lane")),
                    show_bytes(static_cast<uint64_t>(number_at(one, "bytes"))),
                    fmt::format("{}", number_at(one, "attempts")),
                    or_dash(text_at(one, "reason", error_columns_max))});
  out << text_table(rows);
  if (const auto next = text_at(*answer, "next"); !next.empty())
    out << "more: --after " << next << '\n';
  return exit_ok;
}

int show_dead_letter_command(const admin_call& call, int64_t id, bool raw,
                             std::ostream& out, std::ostream& err) {
  const auto answer = ask(
    call, fmt::format("/_weir/admin/v1/dead-letters/{}", id), raw, out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  const auto& one = *answer;
  out << text_table({
    {"id", or_dash(text_at(one, "id"))},
    {"appservice", or_dash(text_at(one, "appservice"))},
    {"event", or_dash(text_at(one, "event_id"))},
    {"lane", or_dash(text_at(one, "lane"))},
    {"bytes", fmt::format("{}", number_at(one, "bytes"))},
    {"reason", or_dash(text_at(one, "reason"))},
    {"attempts", fmt::format("{}", number_at(one, "attempts"))},
    {"accepted at", show_moment(number_at(one, "accepted_at_ms"))},
    {"buried at", show_moment(number_at(one, "buried_at_ms"))},
  });
  out << '\n' << text_at(one, "content") << '\n';
  return exit_ok;
}

} // namespace weir
