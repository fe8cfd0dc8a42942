#include "actors/policy/coalesce.hpp"

#include "actors/policy/json_members.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weir::policy {

namespace {

using members = std::vector<json_member>;

bool is_list(const coalesce_rule& rule, const json_member& of) {
  return std::find(rule.fields.begin(), rule.fields.end(), of.key)
    != rule.fields.end();
}

const json_member* find(const members& in, std::string_view key) {
  const auto at
    = std::find_if(in.begin(), in.end(),
                   [key](const json_member& each) { return each.key == key; });
  return at == in.end() ? nullptr : &*at;
}

/// Whether every member of `a` that is no list is in `b` with the same bytes.
bool same_rest(const coalesce_rule& rule, const members& a, const members& b) {
  return std::all_of(a.begin(), a.end(), [&](const json_member& each) {
    if (is_list(rule, each))
      return true;
    const auto* other = find(b, each.key);
    return other && other->value == each.value;
  });
}

/// The lists of two contents joined, field by field.
class joined_lists {
public:
  /// False when it cannot be joined.
  [[nodiscard]] bool add(const json_member& list) {
    const auto texts = read_texts(list.value);
    if (!texts)
      return false;
    auto& bytes = lists_[list.key];
    for (const auto& each : *texts) {
      const auto [at, is_new] = field_of_.emplace(each.text, list.key);
      if (!is_new && at->second != list.key)
        return false; // It would be in two lists.
      if (is_new)
        bytes.append(bytes.empty() ? "" : ",").append(each.raw);
    }
    return true;
  }

  [[nodiscard]] std::string text(const std::string& key) const {
    return "[" + lists_.at(key) + "]";
  }

private:
  std::map<std::string, std::string> lists_;
  std::map<std::string, std::string> field_of_;
};

std::optional<std::string> unite(const coalesce_rule& rule,
                                 std::string_view older,
                                 std::string_view newer) {
  auto into = read_members(older);
  const auto from = read_members(newer);
  if (!into || !from || !same_rest(rule, *into, *from)
      || !same_rest(rule, *from, *into))
    return {};
  joined_lists lists;
  for (const auto* each : {&std::as_const(*into), &*from})
    for (const auto& member : *each)
      if (is_list(rule, member) && !lists.add(member))
        return {};
  for (const auto& each : *from)
    if (!find(*into, each.key))
      into->push_back(each);
  std::string content = "{";
  for (const auto& each : *into) {
    content.append(content.size() > 1 ? ",\"" : "\"");
    content.append(each.raw_key).append("\":");
    content
      += is_list(rule, each) ? lists.text(each.key) : std::string{each.value};
  }
  return content + '}';
}

bool may_merge(const queued_tail& tail, const mergeable_event& incoming) {
  const auto& event = tail.event;
  return tail.is_untouched && incoming.rule.mode != coalesce_mode::never
    && event.rule == incoming.rule && event.type == incoming.type
    && event.importance == incoming.importance && event.rooms == incoming.rooms;
}

std::optional<stored_time> later(const std::optional<stored_time>& a,
                                 const std::optional<stored_time>& b) {
  if (!a || !b)
    return {};
  return std::max(*a, *b);
}

} // namespace

std::optional<merged_event> merge_into(const queued_tail& tail,
                                       const mergeable_event& incoming,
                                       size_t bytes_max) {
  if (!may_merge(tail, incoming))
    return {};
  const auto content = incoming.rule.mode == coalesce_mode::replace
    ? std::optional{std::string{incoming.content}}
    : unite(incoming.rule, tail.event.content, incoming.content);
  if (!content || content->size() > bytes_max)
    return {};
  return merged_event{*content,
                      later(tail.event.expires_at, incoming.expires_at)};
}

} // namespace weir::policy
