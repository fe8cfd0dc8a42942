#include "actors/policy/last_words.hpp"

#include "schema/json_check.hpp"
#include "schema/json_string.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace weir::policy {

namespace {

/// The last word on one subject. Views are into a value's bytes.
struct word {
  std::string subject;     ///< Unescaped: a user, or a user and a device.
  std::string_view user;   ///< Raw string content.
  std::string_view device; ///< Raw string content; of key counts only.
  std::string_view value;  ///< Raw; of key counts only.
  bool has_left = false;   ///< Of device lists only.
};

using words = std::vector<word>;

/// Reads a list of strings.
bool read_users(json_cursor& cursor, bool has_left, words& into) {
  bool are_strings = true;
  const bool passed = cursor.items([&] {
    std::string_view raw;
    if (!cursor.value(raw))
      return false;
    are_strings = are_strings && raw.starts_with('"');
    const auto user = raw.substr(1, std::max<size_t>(raw.size(), 2) - 2);
    if (are_strings)
      into.push_back({unescape_json(user), user, {}, {}, has_left});
    return true;
  });
  return passed && are_strings;
}

/// `{"changed": [USER…], "left": [USER…]}`, each once and nothing else. Who is
/// in both has left.
std::optional<words> read_device_lists(std::string_view bytes) {
  json_cursor cursor{bytes};
  words changed;
  words left;
  bool has_changed = false;
  bool has_left = false;
  const bool passed = cursor.members([&](std::string_view raw_key) {
    if (raw_key == "changed" && !std::exchange(has_changed, true))
      return read_users(cursor, false, changed);
    if (raw_key == "left" && !std::exchange(has_left, true))
      return read_users(cursor, true, left);
    return false;
  });
  if (!passed)
    return {};
  changed.insert(changed.end(), left.begin(), left.end());
  return changed;
}

/// `{USER: {DEVICE: value…}…}`, each user with a device at least.
std::optional<words> read_key_counts(std::string_view bytes) {
  json_cursor cursor{bytes};
  words found;
  const bool passed = cursor.members([&](std::string_view user) {
    const auto before = found.size();
    const auto whose = unescape_json(user) + '\0';
    return cursor.members([&](std::string_view device) {
      std::string_view value;
      if (!cursor.value(value))
        return false;
      found.push_back(
        {whose + unescape_json(device), user, device, value, false});
      return true;
    }) && found.size() > before;
  });
  if (!passed)
    return {};
  return found;
}

std::optional<words> read_words(lane kind, std::string_view bytes) {
  return kind == lane::device_lists ? read_device_lists(bytes)
                                    : read_key_counts(bytes);
}

void write_users(std::string& into, const words& of, bool has_left) {
  bool first = true;
  for (const auto& each : of) {
    if (each.has_left != has_left)
      continue;
    if (!std::exchange(first, false))
      into += ',';
    into.append("\"").append(each.user).append("\"");
  }
}

std::string write_device_lists(const words& of) {
  std::string bytes = R"({"changed":[)";
  write_users(bytes, of, false);
  bytes += R"(],"left":[)";
  write_users(bytes, of, true);
  return bytes + "]}";
}

std::string write_key_counts(const words& of) {
  std::map<std::string, std::vector<const word*>> users;
  for (const auto& each : of)
    users[unescape_json(each.user)].push_back(&each);
  std::string bytes = "{";
  for (const auto& [unused, devices] : users) {
    bytes += bytes.size() > 1 ? "," : "";
    bytes.append("\"").append(devices.front()->user).append("\":{");
    for (const auto* each : devices) {
      bytes += each == devices.front() ? "" : ",";
      bytes.append("\"").append(each->device).append("\":");
      bytes += each->value;
    }
    bytes += '}';
  }
  return bytes + '}';
}

std::string write_words(lane kind, const words& of) {
  return kind == lane::device_lists ? write_device_lists(of)
                                    : write_key_counts(of);
}

/// An owed value that words may be put into.
struct target {
  size_t index = 0;
  words holds;
  size_t bytes = 0; ///< About.
  bool changed = false;
};

bool is_escaped(std::string_view keys) {
  return keys.find('\\') != std::string_view::npos;
}

/// Values of the same key behind the last that nothing may be put in front of.
std::vector<target> targets_in(lane kind, std::string_view keys,
                               std::span<const owed_value> owed) {
  std::vector<target> found;
  for (size_t i = 0; i < owed.size(); ++i) {
    const auto& each = owed[i];
    if (each.kind != kind || (each.keys != keys && !is_escaped(each.keys)))
      continue;
    std::optional<words> holds;
    if (each.keys == keys && !each.alone)
      holds = read_words(kind, each.bytes);
    if (holds)
      found.push_back({i, std::move(*holds), each.bytes.size(), false});
    else
      found.clear();
  }
  return found;
}

constexpr size_t framing_bytes = 12; ///< Of a word, at most.

size_t size_of(const word& of) {
  return of.user.size() + of.device.size() + of.value.size() + framing_bytes;
}

/// Where the last word on each subject stands: target and place in it.
using places = std::map<std::string, std::pair<size_t, size_t>>;

places places_in(const std::vector<target>& targets) {
  places found;
  for (size_t t = 0; t < targets.size(); ++t)
    for (size_t w = 0; w < targets[t].holds.size(); ++w)
      found[targets[t].holds[w].subject] = {t, w};
  return found;
}

} // namespace

merged_value merge_value(lane kind, std::string_view keys,
                         std::string_view bytes,
                         std::span<const owed_value> owed, size_t bytes_max) {
  const auto incoming
    = is_escaped(keys) ? std::optional<words>{} : read_words(kind, bytes);
  if (!incoming)
    return {{}, std::string{bytes}};
  auto targets = targets_in(kind, keys, owed);
  if (targets.empty())
    return {{}, std::string{bytes}};
  auto known = places_in(targets);
  words rest;
  for (const auto& each : *incoming) {
    auto& newest = targets.back();
    if (const auto at = known.find(each.subject); at != known.end()) {
      auto& into = targets[at->second.first];
      into.holds[at->second.second] = each;
      into.changed = true;
    } else if (newest.bytes + size_of(each) <= bytes_max) {
      known[each.subject] = {targets.size() - 1, newest.holds.size()};
      newest.holds.push_back(each);
      newest.bytes += size_of(each);
      newest.changed = true;
    } else {
      rest.push_back(each);
    }
  }
  merged_value result;
  for (const auto& each : targets)
    if (each.changed)
      result.owed.push_back({each.index, write_words(kind, each.holds)});
  if (!rest.empty())
    result.rest = rest.size() == incoming->size() ? std::string{bytes}
                                                  : write_words(kind, rest);
  return result;
}

} // namespace weir::policy
