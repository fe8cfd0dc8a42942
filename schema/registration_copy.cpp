#include "schema/config_values.hpp"
#include "schema/registration.hpp"
#include "schema/yaml.hpp"

namespace weir {

namespace {

yaml_node string_node(std::string_view text) {
  yaml_node node;
  node.kind = yaml_node::kind_type::scalar;
  node.quoted = true;
  node.text = text;
  return node;
}

yaml_node plain_node(std::string_view text) {
  auto node = string_node(text);
  node.quoted = false;
  return node;
}

yaml_node list_node(std::vector<yaml_node> items) {
  yaml_node node;
  node.kind = yaml_node::kind_type::list;
  node.items = std::move(items);
  return node;
}

yaml_node map_node(std::vector<yaml_entry> entries) {
  yaml_node node;
  node.kind = yaml_node::kind_type::map;
  node.entries = std::move(entries);
  return node;
}

/// A server name holds nothing else that means something in an expression.
std::string escape_for_regex(std::string_view server_name) {
  std::string escaped;
  for (const char c : server_name) {
    if (c == '.' || c == '[' || c == ']')
      escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// The text of a key that holds a string; else empty.
std::string string_at(const yaml_node& root, std::string_view key) {
  const auto* entry = root.find(key);
  return entry && is_yaml_string(entry->value) ? entry->value.text : "";
}

} // namespace

std::string registration_id_of(std::string_view text) {
  const auto document = read_yaml(text);
  return document.problems.empty() && document.root.find("as_token")
    ? string_at(document.root, "id")
    : "";
}

own_tokens read_own_tokens(std::string_view text) {
  if (registration_id_of(text) != own_appservice_id)
    return {};
  const auto root = read_yaml(text).root;
  own_tokens tokens{string_at(root, "as_token"), string_at(root, "hs_token")};
  if (!check_token(tokens.as_token))
    tokens.as_token.clear();
  if (!check_token(tokens.hs_token))
    tokens.hs_token.clear();
  return tokens;
}

std::string emit_homeserver_copy(const appservice_registration& registration,
                                 std::string_view public_url) {
  auto copy = *registration.document;
  // To a null url a homeserver sends nothing, and Weir would only drop it.
  for (auto& [key, value] : copy.entries)
    if (key.text == "url" && registration.url)
      value = string_node(std::string{public_url} + "/_weir/as/"
                          + encode_path_segment(registration.id.value));
  return write_yaml(copy);
}

std::string emit_weir_registration(std::string_view server_name,
                                   std::string_view as_token,
                                   std::string_view hs_token) {
  const auto regex = "@.*:" + escape_for_regex(server_name) + "$";
  const auto all_users = map_node({
    {plain_node("exclusive"), plain_node("false")},
    {plain_node("regex"), string_node(regex)},
  });
  return write_yaml(map_node({
    {plain_node("id"), string_node(own_appservice_id)},
    {plain_node("url"), yaml_node{}},
    {plain_node("as_token"), string_node(as_token)},
    {plain_node("hs_token"), string_node(hs_token)},
    {plain_node("sender_localpart"), string_node("weir")},
    {plain_node("rate_limited"), plain_node("false")},
    {plain_node("namespaces"),
     map_node({
       {plain_node("users"), list_node({all_users})},
       {plain_node("aliases"), list_node({})},
       {plain_node("rooms"), list_node({})},
     })},
  }));
}

} // namespace weir
