#include "tests/fuzz/json_source.hpp"

#include <algorithm>

namespace weir::test {

namespace {

constexpr std::string_view scalars
  = "0 -0 1 -17 0.5 1e5 -2.50E-3 9007199254740993 18446744073709551616 true "
    "false null";
constexpr std::string_view string_pieces
  = "a event_id room \\n \\\" \\\\ \\/ \\u0041 \\u00e9 \\u0000 \xc3\xa9 "
    "\xe2\x82\xac \xf0\x9f\x98\x80 \x7f sixteen-bytes-long-piece .";
constexpr std::string_view transaction_keys
  = "events ephemeral de.sorunome.msc2409.ephemeral to_device "
    "de.sorunome.msc2409.to_device device_lists "
    "org.matrix.msc3202.device_lists device_one_time_keys_count "
    "org.matrix.msc3202.device_one_time_key_counts "
    "device_unused_fallback_key_types m.synthetic_events \\u0065vents x";
constexpr std::string_view tokens
  = "{ } [ ] , : \" \\ \\u \\ud800 \\\" 0 - . e 1e9 tru true null {} [] "
    "\"events\":[], \"ephemeral\": \xef\xbb\xbf \xed\xa0\x80 \xc3 \xff /";

} // namespace

size_t json_source::below(size_t bound) {
  return static_cast<size_t>(random_() % bound);
}

std::string_view json_source::one_of(std::string_view words, char separator) {
  const auto count
    = static_cast<size_t>(std::ranges::count(words, separator)) + 1;
  for (auto skipped = below(count); skipped > 0; --skipped)
    words.remove_prefix(words.find(separator) + 1);
  return words.substr(0, words.find(separator));
}

std::string json_source::document() {
  std::string text;
  space(text);
  value(text, 0);
  space(text);
  return text;
}

std::string json_source::transaction() {
  std::string text = "{";
  const auto members = below(5);
  for (size_t i = 0; i < members; ++i) {
    text += i == 0 ? "" : ",";
    space(text);
    const auto key = one_of(transaction_keys);
    text.append("\"").append(key).append("\":");
    const bool holds_list = key.ends_with("events")
      || key.ends_with("ephemeral") || key.ends_with("to_device");
    if (!holds_list) {
      value(text, 2);
    } else {
      text += '[';
      for (auto events = below(4); events > 0; --events) {
        event(text);
        text += events > 1 ? "," : "";
      }
      text += ']';
    }
  }
  return text + '}';
}

std::string json_source::damaged(std::string text) {
  for (auto changes = 1 + below(3); changes > 0; --changes)
    damage(text);
  return text;
}

void json_source::space(std::string& to) {
  if (below(4) == 0)
    to += one_of("_ _\t_\n_\r\n_\n\n \t_\r", '_');
}

void json_source::string(std::string& to) {
  to += '"';
  for (auto pieces = below(4); pieces > 0; --pieces)
    to += one_of(string_pieces);
  to += '"';
}

void json_source::value(std::string& to, size_t depth) {
  const auto form = below(depth < 4 ? 6 : 3);
  if (form < 2)
    to += one_of(scalars);
  else if (form == 2)
    string(to);
  else if (form == 3)
    list(to, depth + 1);
  else
    object(to, depth + 1);
}

void json_source::list(std::string& to, size_t depth) {
  to += '[';
  space(to);
  for (auto items = below(4); items > 0; --items) {
    value(to, depth);
    space(to);
    to += items > 1 ? "," : "";
    space(to);
  }
  to += ']';
}

void json_source::object(std::string& to, size_t depth) {
  to += '{';
  space(to);
  for (auto items = below(4); items > 0; --items) {
    string(to);
    space(to);
    to += ':';
    space(to);
    value(to, depth);
    to += items > 1 ? "," : "";
  }
  to += '}';
}

void json_source::event(std::string& to) {
  if (below(4) == 0)
    return value(to, 3);
  to += R"({"event_id":"$)";
  to += one_of("a b \\u0061 \\ud800 \\u0000");
  to += R"(","content":)";
  value(to, 3);
  to += '}';
}

void json_source::damage(std::string& text) {
  const auto at = below(text.size() + 1);
  const auto length = below(std::min<size_t>(text.size() - at, 16) + 1);
  switch (below(5)) {
  case 0:
    if (at < text.size())
      text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    break;
  case 1: text.insert(at, 1, static_cast<char>(below(256))); break;
  case 2: text.erase(at, length); break;
  case 3: text.insert(below(text.size() + 1), text.substr(at, length)); break;
  default: text.insert(at, one_of(tokens));
  }
}

} // namespace weir::test
