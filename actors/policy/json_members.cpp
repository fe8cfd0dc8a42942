#include "actors/policy/json_members.hpp"

#include "schema/json_check.hpp"
#include "schema/json_string.hpp"

#include <set>

namespace weir::policy {

std::optional<std::vector<json_member>> read_members(std::string_view object) {
  json_cursor cursor{object};
  std::vector<json_member> found;
  std::set<std::string> keys;
  const bool passed = cursor.members([&](std::string_view raw_key) {
    std::string_view value;
    if (!cursor.value(value))
      return false;
    found.push_back({unescape_json(raw_key), raw_key, value});
    return keys.insert(found.back().key).second;
  });
  if (!passed || !cursor.finish())
    return {};
  return found;
}

std::optional<std::vector<json_text>> read_texts(std::string_view list) {
  json_cursor cursor{list};
  std::vector<json_text> found;
  bool are_texts = true;
  const bool passed = cursor.items([&] {
    std::string_view raw;
    if (!cursor.value(raw))
      return false;
    are_texts = are_texts && raw.starts_with('"');
    if (are_texts)
      found.push_back({unescape_json(raw.substr(1, raw.size() - 2)), raw});
    return true;
  });
  if (!passed || !are_texts || !cursor.finish())
    return {};
  return found;
}

} // namespace weir::policy
