#include "schema/realm_submission.hpp"

#include "schema/json_check.hpp"
#include "schema/json_string.hpp"
#include "schema/realm_limits.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace weir {

namespace {

using nlohmann::json;

constexpr size_t name_bytes_max = 255;
constexpr size_t fields_max = 16;
/// A year: longer than anything is kept.
constexpr int64_t expires_in_ms_max = 366LL * 24 * 3'600'000;

/// The members of an object, raw. Errors: those of the grammar, one that is
/// there twice, and anything but an object.
expected<std::vector<std::pair<std::string, std::string_view>>>
members_of(std::string_view body) {
  json_cursor cursor{body};
  std::vector<std::pair<std::string, std::string_view>> members;
  std::set<std::string> known;
  bool is_twice = false;
  const bool is_object = cursor.peek() == '{';
  std::string_view whole;
  const bool passed = is_object ? cursor.members([&](std::string_view raw_key) {
    std::string_view raw;
    if (!cursor.value(raw))
      return false;
    auto name = unescape_json(raw_key);
    is_twice = !known.insert(name).second || is_twice;
    members.emplace_back(std::move(name), raw);
    return true;
  })
                                : cursor.value(whole);
  if (!passed || !cursor.finish())
    return fail(cursor.failure());
  if (!is_object)
    return fail(ec::bad_json, "expected an object");
  if (is_twice)
    return fail(ec::bad_json, "expected each member once");
  return members;
}

error wrong(std::string_view member, std::string_view wanted) {
  return {ec::bad_json, fmt::format("{}: expected {}", member, wanted)};
}

bool is_plain(std::string_view text, size_t bytes_max) {
  return !text.empty() && text.size() <= bytes_max
    && std::none_of(text.begin(), text.end(), [](char c) {
         return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
       });
}

/// Checked already, but for what nlohmann takes in another way.
json parsed(std::string_view raw) {
  return json::parse(raw, nullptr, false);
}

expected<std::string> read_text(std::string_view member, std::string_view raw,
                                size_t bytes_max) {
  const auto value = parsed(raw);
  if (!value.is_string()
      || !is_plain(value.get_ref<const std::string&>(), bytes_max))
    return fail(wrong(member,
                      fmt::format("a string of 1 to {} bytes without control "
                                  "characters",
                                  bytes_max)));
  return value.get<std::string>();
}

expected<std::vector<std::string>> read_texts(std::string_view member,
                                              const json& value) {
  std::vector<std::string> texts;
  if (!value.is_array())
    return fail(wrong(member, "a list of strings"));
  for (const auto& each : value) {
    if (!each.is_string()
        || !is_plain(each.get_ref<const std::string&>(), name_bytes_max))
      return fail(wrong(member, "a list of strings"));
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

expected<std::vector<room_id>> read_rooms(std::string_view member,
                                          std::string_view raw) {
  WEIR_TRY(auto texts, read_texts(member, parsed(raw)));
  std::vector<room_id> rooms;
  for (auto& text : texts) {
    if (!is_room_id(text))
      return fail(wrong(member, "room ids such as !room:example.org"));
    rooms.push_back({std::move(text)});
  }
  return rooms;
}

expected<realm_class> read_class(std::string_view raw) {
  const auto value = parsed(raw);
  if (value == "completion")
    return realm_class::completion;
  if (value == "progress")
    return realm_class::progress;
  if (value == "lossy")
    return realm_class::lossy;
  return fail(wrong("class", "completion, progress or lossy"));
}

expected<coalesce_rule> read_rule(std::string_view raw) {
  const auto value = parsed(raw);
  if (!value.is_object())
    return fail(wrong("coalesce", "an object"));
  coalesce_rule rule;
  for (const auto& [name, part] : value.items()) {
    if (name == "mode" && part == "never") {
      rule.mode = coalesce_mode::never;
    } else if (name == "mode" && part == "replace") {
      rule.mode = coalesce_mode::replace;
    } else if (name == "mode" && part == "union") {
      rule.mode = coalesce_mode::unite;
    } else if (name == "key" && part.is_string()
               && part.get_ref<const std::string&>().size() <= name_bytes_max) {
      rule.key = part.get<std::string>();
    } else if (name == "fields") {
      WEIR_TRY(rule.fields, read_texts("coalesce.fields", part));
    } else {
      return fail(wrong("coalesce",
                        "mode (never, replace or union), key and "
                        "fields"));
    }
  }
  if (rule.fields.size() > fields_max
      || rule.fields.empty() == (rule.mode == coalesce_mode::unite))
    return fail(wrong("coalesce.fields", "1 to 16 names, with union alone"));
  return rule;
}

expected<std::chrono::milliseconds> read_expiry(std::string_view raw) {
  const auto value = parsed(raw);
  if (value.is_null())
    return std::chrono::milliseconds{0};
  if (!value.is_number_integer() || value < 1 || value > expires_in_ms_max)
    return fail(wrong("expires_in_ms", "a whole number from 1 on, in ms"));
  return std::chrono::milliseconds{value.get<int64_t>()};
}

expected<void> read_member(const std::string& name, std::string_view raw,
                           bool in_bulk, realm_submission& into) {
  if (name == "type") {
    WEIR_TRY(into.type, read_text(name, raw, name_bytes_max));
  } else if (name == "content") {
    if (!raw.starts_with('{'))
      return fail(wrong(name, "an object"));
    into.content = std::string{raw};
  } else if (name == "class") {
    WEIR_TRY(into.importance, read_class(raw));
  } else if (name == "coalesce") {
    WEIR_TRY(into.rule, read_rule(raw));
  } else if (name == "rooms") {
    if (raw == "null")
      return ok();
    WEIR_TRY(into.rooms, read_rooms(name, raw));
    if (into.rooms->size() > limits::realm_own_rooms_max)
      return fail(wrong(name, "at most 1000 rooms"));
  } else if (name == "expires_in_ms") {
    WEIR_TRY(into.expires_in, read_expiry(raw));
  } else if (name == "split") {
    WEIR_TRY(into.split, read_text(name, raw, name_bytes_max));
  } else if (name == "realm" && in_bulk) {
    WEIR_TRY(into.realm, read_text(name, raw, limits::realm_id_bytes_max));
  } else if (name == "key" && in_bulk) {
    WEIR_TRY(into.key, read_text(name, raw, name_bytes_max));
  } else {
    return fail(ec::bad_json,
                fmt::format("{}: is no member of an event", name));
  }
  return ok();
}

} // namespace

bool is_room_id(std::string_view text) noexcept {
  return text.size() > 1 && text.front() == '!'
    && is_plain(text, name_bytes_max);
}

expected<realm_submission> read_realm_submission(std::string_view body,
                                                 bool in_bulk) {
  WEIR_TRY(const auto members, members_of(body));
  realm_submission read;
  for (const auto& [name, raw] : members) {
    WEIR_TRY(read_member(name, raw, in_bulk, read));
  }
  if (read.type.empty())
    return fail(ec::bad_json, "type is missing");
  if (read.content.empty())
    return fail(ec::bad_json, "content is missing");
  if (in_bulk && (read.realm.empty() || read.key.empty()))
    return fail(ec::bad_json, "realm or key is missing");
  return read;
}

expected<audience_change> read_audience_change(std::string_view body) {
  WEIR_TRY(const auto members, members_of(body));
  audience_change read;
  for (const auto& [name, raw] : members) {
    if (name != "add" && name != "remove")
      return fail(wrong(name, "add and remove alone"));
    WEIR_TRY((name == "add" ? read.add : read.remove), read_rooms(name, raw));
  }
  if (read.add.size() + read.remove.size() > limits::realm_audience_change_max)
    return fail(ec::too_large, "at most 1000 rooms come and go at once");
  return read;
}

expected<std::vector<room_id>> read_audience(std::string_view body) {
  WEIR_TRY(const auto members, members_of(body));
  if (members.size() != 1 || members.front().first != "rooms")
    return fail(ec::bad_json, "expected rooms alone");
  WEIR_TRY(auto rooms, read_rooms("rooms", members.front().second));
  std::sort(rooms.begin(), rooms.end());
  rooms.erase(std::unique(rooms.begin(), rooms.end()), rooms.end());
  return rooms;
}

} // namespace weir
