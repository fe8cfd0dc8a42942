#include "actors/policy/ephemeral.hpp"

#include "schema/hash.hpp"
#include "schema/json_check.hpp"
#include "schema/json_string.hpp"

#include <map>
#include <set>
#include <utility>

namespace weir::policy {

namespace {

/// A JSON string's content, unescaped; empty for any other value.
std::string text_of(std::string_view raw) {
  if (!raw.starts_with('"'))
    return {};
  return unescape_json(raw.substr(1, raw.size() - 2));
}

/// The members of an object by their unescaped keys. False: it is none.
bool members_of(std::string_view raw,
                std::map<std::string, std::string_view>& into) {
  json_cursor cursor{raw};
  return cursor.members([&](std::string_view raw_key) {
    std::string_view value;
    if (!cursor.value(value))
      return false;
    into.insert_or_assign(unescape_json(raw_key), value);
    return true;
  });
}

using object = std::map<std::string, std::string_view>;

/// `{EVENT: {TYPE: {USER: {"ts": …, "thread_id": …}}}}`. Empty when it is
/// anything else.
std::vector<std::string> receipts_in(std::string_view content) {
  std::set<std::string> words;
  object events;
  if (!members_of(content, events))
    return {};
  for (const auto& [event, of_event] : events) {
    object types;
    if (!members_of(of_event, types))
      return {};
    for (const auto& [type, of_type] : types) {
      object users;
      if (!members_of(of_type, users))
        return {};
      for (const auto& [user, receipt] : users) {
        object data;
        if (!members_of(receipt, data))
          return {};
        auto word = type;
        word.append(1, '\0').append(user).append(1, '\0');
        words.insert(word.append(text_of(data["thread_id"])));
      }
    }
  }
  return {words.begin(), words.end()};
}

uint64_t subject_of(std::string_view keys, const std::string& type,
                    const std::string& whose) {
  return sha256_head(std::string{keys} + '\0' + type + '\0' + whose);
}

} // namespace

ephemeral_content read_ephemeral(std::string_view keys,
                                 std::string_view bytes) {
  ephemeral_content result;
  object of;
  if (!members_of(bytes, of))
    return result;
  const auto type = text_of(of["type"]);
  std::string whose;
  if (type == "m.typing") {
    result.is_typing = true;
    whose = text_of(of["room_id"]);
    result.words = {""};
  } else if (type == "m.presence") {
    whose = text_of(of["sender"]);
    result.words = {""};
  } else if (type == "m.receipt") {
    whose = text_of(of["room_id"]);
    result.words = receipts_in(of["content"]);
  }
  if (whose.empty())
    result.words.clear();
  if (!result.words.empty())
    result.subject = subject_of(keys, type, whose);
  return result;
}

std::vector<bool> said_again(std::span<const ephemeral_content> oldest_first) {
  std::vector<bool> again(oldest_first.size(), false);
  std::set<std::pair<uint64_t, std::string_view>> later;
  for (auto at = oldest_first.size(); at-- > 0;) {
    const auto& here = oldest_first[at];
    bool says_new = here.words.empty();
    for (const auto& word : here.words)
      says_new = later.emplace(here.subject, word).second || says_new;
    again[at] = !says_new;
  }
  return again;
}

bool too_old(const ephemeral_content& what, stored_time at, stored_time now,
             const lane_rules& rules) {
  return now - at >= (what.is_typing ? rules.typing_age : rules.ephemeral_age);
}

size_t beyond_bounds(std::span<const uint64_t> oldest, uint64_t count,
                     uint64_t bytes, uint64_t count_max, uint64_t bytes_max) {
  size_t gone = 0;
  for (; gone < oldest.size() && (count > count_max || bytes > bytes_max);
       --count)
    bytes -= oldest[gone++];
  return gone;
}

} // namespace weir::policy
