#include "actors/trace/reader.hpp"

#include "actors/trace/recorder.hpp"
#include "schema/json_check.hpp"

#include <algorithm>
#include <fstream>
#include <map>

namespace weir::trace {

namespace {

/// A line may be a little longer than its bound, since what was left out of it
/// is named.
constexpr size_t line_read_max = line_bytes_max * 2;
/// Of the monotonic clock, which begins near zero: 146 years, so that there is
/// room for what is added to it.
constexpr int64_t at_ns_max = int64_t{1} << 62;

std::string line_text(const json& body) {
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// A member that is text; empty when it is missing. False when it is not text.
bool text_member(const json& body, const char* key, std::string& into) {
  const auto found = body.find(key);
  if (found == body.end())
    return true;
  if (!found->is_string())
    return false;
  into = found->get_ref<const std::string&>();
  return true;
}

template <class T>
bool number_member(const json& body, const char* key, T& into) {
  const auto found = body.find(key);
  if (found == body.end())
    return true;
  if (!found->is_number_integer())
    return false;
  if (found->is_number_unsigned() && !std::in_range<T>(found->get<uint64_t>()))
    return false;
  if (!found->is_number_unsigned() && !std::in_range<T>(found->get<int64_t>()))
    return false;
  into = found->get<T>();
  return true;
}

/// Effects are a list of objects that say what was done.
bool effects_hold(const json& body) {
  const auto found = body.find("effects");
  return found != body.end() && found->is_array()
    && std::all_of(found->begin(), found->end(), [](const json& each) {
           return each.is_object() && each.contains("do")
             && each.at("do").is_string();
         });
}

bool holds_together(const record& one) {
  if (one.kind == "trace" || one.kind == "gap")
    return true;
  if (one.actor.empty() || one.incarnation == 0 || !effects_hold(one.body)
      || one.at_ns < 0 || one.at_ns > at_ns_max)
    return false;
  if (one.kind == "start")
    return one.body.contains("class") && one.body.at("class").is_string()
      && one.body.contains("arguments") && one.body.at("arguments").is_array();
  if (one.kind != "message")
    return one.kind == "end";
  const auto message = one.body.find("message");
  return message != one.body.end() && message->is_object()
    && message->contains("type") && message->at("type").is_string();
}

/// One line without its break. False at the end. `whole` is false when the file
/// ended within it, `ec::too_large` when it is too long.
expected<bool> next_line(std::istream& from, std::string& line, bool& whole) {
  line.clear();
  for (int byte = from.get(); byte != std::istream::traits_type::eof();
       byte = from.get()) {
    whole = byte == '\n';
    if (whole)
      return true;
    if (line.size() == line_read_max)
      return fail(ec::too_large, "a line that is too long");
    line += static_cast<char>(byte);
  }
  whole = false;
  return !line.empty();
}

std::string at_line(size_t number) {
  return "line " + std::to_string(number) + ": ";
}

} // namespace

std::string record::step() const {
  if (kind != "message")
    return kind;
  return body.at("message").at("type").get<std::string>();
}

const json& record::effects() const {
  static const json none = json::array();
  const auto found = body.find("effects");
  return found == body.end() ? none : *found;
}

expected<record> parse_record(std::string_view line, size_t number) {
  if (auto checked = check_json(line, line_depth_max); !checked)
    return fail(ec::not_json, at_line(number) + checked.error().context);
  record one;
  one.line = number;
  one.body = json::parse(line, nullptr, false);
  if (!one.body.is_object())
    return fail(ec::bad_json, at_line(number) + "expected an object");
  int version = 0;
  const bool read = number_member(one.body, "v", version)
    && text_member(one.body, "kind", one.kind)
    && text_member(one.body, "actor", one.actor)
    && number_member(one.body, "incarnation", one.incarnation)
    && number_member(one.body, "seq", one.seq)
    && number_member(one.body, "at", one.at_ns);
  if (!read)
    return fail(ec::bad_json, at_line(number) + "a member of another type");
  if (version != format_version)
    return fail(ec::bad_json,
                at_line(number) + "expected version "
                  + std::to_string(format_version) + " of the format");
  if (!holds_together(one))
    return fail(ec::bad_json, at_line(number) + "no record of a trace");
  return one;
}

expected<void> each_record(std::istream& from,
                           const std::function<bool(record)>& visit,
                           const std::function<void(std::string)>& note) {
  std::string line;
  for (size_t number = 1;; ++number) {
    bool whole = false;
    auto more = next_line(from, line, whole);
    if (!more)
      return fail(more.error().code, at_line(number) + more.error().context);
    if (!more.value())
      return number > 1 ? expected<void>{ok()}
                        : fail(ec::bad_json, "the trace is empty");
    auto one = parse_record(line, number);
    if (!one && !whole && number > 1) {
      note(at_line(number) + "cut off, the process ended while it was written");
      return ok();
    }
    if (!one)
      return fail(one.error());
    if ((number == 1) != (one.value().kind == "trace"))
      return fail(ec::bad_json,
                  at_line(number) + "a trace has one heading, at its head");
    if (!visit(std::move(one.value())))
      return ok();
  }
}

bool record_filter::takes_actor(const record& each) const {
  if (actors.empty())
    return true;
  return std::any_of(
    actors.begin(), actors.end(), [&](const std::string& wanted) {
      if (wanted.ends_with('*'))
        return each.actor.starts_with(wanted.substr(0, wanted.size() - 1));
      return wanted == each.actor || wanted == each.label();
    });
}

bool record_filter::takes(const record& each) const {
  if (each.kind == "gap")
    return true;
  return takes_actor(each) && (!from_ns || each.at_ns >= *from_ns)
    && (!to_ns || each.at_ns <= *to_ns)
    && (text.empty() || line_text(each.body).find(text) != std::string::npos);
}

expected<loaded_trace> load(std::istream& from, const record_filter& filter) {
  loaded_trace result;
  bool too_many = false;
  auto done = each_record(
    from,
    [&](record one) {
      if (one.kind == "trace") {
        result.heading = std::move(one.body);
      } else if (filter.takes(one)) {
        too_many = result.records.size() == records_loaded_max;
        if (!too_many)
          result.records.push_back(std::move(one));
      }
      return !too_many;
    },
    [&](std::string what) { result.notes.push_back(std::move(what)); });
  if (!done)
    return fail(done.error());
  if (too_many)
    return fail(ec::too_large, "too many records: choose an actor or a span");
  return result;
}

expected<loaded_trace> load(const std::string& path,
                            const record_filter& filter) {
  std::ifstream file{path, std::ios::binary};
  if (!file)
    return fail(ec::not_found, path + ": cannot be read");
  auto result = load(file, filter);
  if (!result)
    return fail(result.error().code, path + ": " + result.error().context);
  return result;
}

loaded_trace cut(const loaded_trace& from, const record_filter& filter) {
  loaded_trace result;
  result.heading = from.heading;
  result.notes = from.notes;
  std::map<std::string, bool> in_span;
  for (const auto& each : from.records)
    if (each.kind != "gap" && filter.takes(each))
      in_span[each.label()] = true;
  for (const auto& each : from.records)
    if (in_span.contains(each.label())
        && (!filter.to_ns || each.at_ns <= *filter.to_ns))
      result.records.push_back(each);
  return result;
}

std::string to_text(const loaded_trace& what) {
  auto text = line_text(what.heading) + '\n';
  for (const auto& each : what.records)
    text += line_text(each.body) + '\n';
  return text;
}

} // namespace weir::trace
