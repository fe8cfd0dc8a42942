#include "actors/trace/show.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdlib>

namespace weir::trace {

namespace {

/// What of a content fits on a line of a timeline.
constexpr size_t content_bytes_shown = 240;
/// Members in which two effects differ; the first ones tell the rest.
constexpr size_t members_shown = 8;

std::string one_line(const json& value, size_t bytes_max) {
  auto text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > bytes_max)
    text = text.substr(0, bytes_max) + "...";
  return text;
}

std::string text_at(const json& from, const char* key) {
  const auto found = from.find(key);
  if (found == from.end())
    return {};
  return found->is_string() ? plain(found->get_ref<const std::string&>())
                            : one_line(*found, content_bytes_shown);
}

std::string content_of(const json& from) {
  const auto found = from.find("content");
  if (found == from.end() || (found->is_object() && found->empty()))
    return {};
  return ' ' + one_line(*found, content_bytes_shown);
}

std::string numbered(const json& effect) {
  return effect.contains("request") ? ' ' + text_at(effect, "request")
                                    : std::string{};
}

std::string priority_of(const json& from) {
  return from.contains("priority") ? " (" + text_at(from, "priority") + ')'
                                   : std::string{};
}

} // namespace

std::string plain(const std::string& text) {
  const auto quoted
    = json(text).dump(-1, ' ', true, json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

std::string show_time(int64_t ns) {
  const auto ms = std::abs(ns / 1'000'000);
  return fmt::format("{}{}:{:02}:{:02}.{:03}", ns < 0 ? "-" : "",
                     ms / 3'600'000, ms / 60'000 % 60, ms / 1'000 % 60,
                     ms % 1'000);
}

std::string show_delay(int64_t ns) {
  constexpr std::array units{
    std::pair{int64_t{3'600'000'000'000}, "h"},
    std::pair{int64_t{60'000'000'000}, "min"},
    std::pair{int64_t{1'000'000'000}, "s"},
    std::pair{int64_t{1'000'000}, "ms"},
    std::pair{int64_t{1'000}, "us"},
  };
  for (const auto& [length, name] : units)
    if (ns != 0 && ns % length == 0)
      return fmt::format("{} {}", ns / length, name);
  return fmt::format("{} ns", ns);
}

std::string show_effect(const json& effect) {
  const auto what = text_at(effect, "do");
  if (what == "arm") {
    const auto delay = effect.find("in_ns");
    const bool known = delay != effect.end() && delay->is_number_integer();
    return fmt::format("timer {} in {}{}", text_at(effect, "type"),
                       known ? show_delay(delay->get<int64_t>()) : "?",
                       content_of(effect));
  }
  if (what == "spawn")
    return "spawn " + text_at(effect, "actor");
  if (what == "http" || what == "http abort")
    return what + ' ' + text_at(effect, "id") + content_of(effect);
  if (what == "call back")
    return what + content_of(effect);
  return fmt::format("{}{} {} to {}{}{}", what, numbered(effect),
                     text_at(effect, "type"), text_at(effect, "to"),
                     priority_of(effect), content_of(effect));
}

std::string show_step(const record& one, int64_t origin_ns) {
  if (one.kind == "gap")
    return fmt::format("-- {} records were dropped here --",
                       text_at(one.body, "dropped"));
  auto line
    = fmt::format("{}  {}  {}{}", show_time(one.at_ns - origin_ns),
                  plain(one.label()), plain(one.step()), priority_of(one.body));
  if (one.kind == "start")
    line += " as " + text_at(one.body, "class");
  if (one.kind == "end" && one.body.contains("reason"))
    line += ": " + text_at(one.body, "reason");
  if (one.body.contains("answers"))
    line += " answers " + text_at(one.body.at("answers"), "request");
  if (one.body.contains("request"))
    line += " asks " + text_at(one.body, "request");
  if (one.body.contains("from"))
    line += " from " + text_at(one.body, "from");
  if (one.kind == "message")
    line += content_of(one.body.at("message"));
  if (one.body.contains("threw"))
    line += " -- the handler threw";
  return line;
}

std::string show_record(const record& one, int64_t origin_ns) {
  auto text = show_step(one, origin_ns) + '\n';
  for (const auto& effect : one.effects())
    text += "    " + show_effect(effect) + '\n';
  return text;
}

std::string show_running(const record& first) {
  return fmt::format("-- {} ran before the trace began: a replay is from its "
                     "next start on --\n",
                     plain(first.label()));
}

std::string show_difference(const json& recorded, const json& replayed) {
  const nlohmann::json before = recorded;
  const nlohmann::json after = replayed;
  std::string text;
  size_t shown = 0;
  for (const auto& step : nlohmann::json::diff(before, after)) {
    if (++shown > members_shown) {
      text += "    and more\n";
      break;
    }
    const nlohmann::json::json_pointer at{step.at("path").get<std::string>()};
    const auto value_in = [&](const nlohmann::json& where) -> std::string {
      return where.contains(at)
        ? one_line(json(where.at(at)), content_bytes_shown)
        : "nothing";
    };
    text += fmt::format("    {}: {} in the trace, {} in the replay\n",
                        at.to_string(), value_in(before), value_in(after));
  }
  return text;
}

} // namespace weir::trace
