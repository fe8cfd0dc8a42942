#include "actors/policy/realm_content.hpp"

#include "actors/policy/json_members.hpp"

#include <algorithm>
#include <iterator>

namespace weir::policy {

namespace {

struct kind {
  std::string_view event_name; ///< With quotes, as in JSON.
  std::string_view index_type; ///< Empty when there is none.
  realm_class importance;
  coalesce_mode mode;
};

constexpr kind kinds[] = {
  {"index", "incremental-index-initiation", realm_class::progress,
   coalesce_mode::replace},
  {"update", {}, realm_class::progress, coalesce_mode::unite},
  {"index", "incremental", realm_class::completion, coalesce_mode::never},
  {"index", "full", realm_class::completion, coalesce_mode::never},
  {"index", "copy", realm_class::completion, coalesce_mode::never},
  {"prerender_html", {}, realm_class::lossy, coalesce_mode::never},
};

coalesce_rule rule_of(const kind& of) {
  switch (of.mode) {
  case coalesce_mode::replace: return {of.mode, "initiation", {}};
  case coalesce_mode::unite:
    return {of.mode, "update", {"added", "updated", "removed"}};
  case coalesce_mode::never: break;
  }
  return {};
}

/// The string of a member that is one.
std::string text_of(const std::vector<json_member>& members,
                    std::string_view key) {
  const auto at
    = std::find_if(members.begin(), members.end(),
                   [key](const json_member& each) { return each.key == key; });
  if (at == members.end())
    return {};
  const auto texts = read_texts("[" + std::string{at->value} + "]");
  return texts && !texts->empty() ? texts->front().text : std::string{};
}

} // namespace

std::optional<event_treatment> boxel_treatment(std::string_view content) {
  const auto members = read_members(content);
  if (!members)
    return {};
  const auto name = text_of(*members, "eventName");
  const auto type = text_of(*members, "indexType");
  const auto known
    = std::find_if(std::begin(kinds), std::end(kinds), [&](const kind& each) {
        return each.event_name == name && each.index_type == type;
      });
  if (known == std::end(kinds))
    return {};
  return event_treatment{known->importance, rule_of(*known)};
}

std::optional<std::vector<std::string>> split_content(std::string_view content,
                                                      std::string_view field,
                                                      size_t bytes_max) {
  if (content.size() <= bytes_max)
    return std::vector{std::string{content}};
  const auto members = read_members(content);
  if (!members)
    return {};
  std::string before = "{";
  std::string after = "]";
  std::optional<std::vector<json_text>> texts;
  for (const auto& each : *members) {
    auto& into = texts ? after : before;
    const bool is_first = !texts && before.size() == 1;
    into.append(is_first ? "\"" : ",\"").append(each.raw_key).append("\":");
    if (each.key == field)
      texts = read_texts(each.value);
    if (each.key == field && !texts)
      return {};
    into.append(each.key == field ? "[" : each.value);
  }
  if (!texts)
    return {};
  after += '}';
  std::vector<std::string> parts;
  std::string list;
  const auto fits = [&](size_t bytes) {
    return before.size() + bytes + after.size() <= bytes_max;
  };
  for (const auto& each : *texts) {
    if (!list.empty() && !fits(list.size() + 1 + each.raw.size())) {
      parts.emplace_back(before).append(list).append(after);
      list.clear();
    }
    list.append(list.empty() ? "" : ",").append(each.raw);
    if (!fits(list.size()))
      return {};
  }
  parts.emplace_back(before).append(list).append(after);
  if (parts.size() > limits::realm_split_parts_max)
    return {};
  return parts;
}

} // namespace weir::policy
