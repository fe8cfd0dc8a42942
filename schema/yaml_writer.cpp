#include "schema/yaml.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace weir {

namespace {

/// Characters of which every plain scalar consists that YAML 1.1 or 1.2 takes
/// for something else than a string: numbers of all bases, booleans, times.
/// None of them needs quotes where it stands.
bool may_be_no_string(const std::string& plain) {
  return !plain.empty() && std::all_of(plain.begin(), plain.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
      || (c >= '0' && c <= '9')
      || std::string_view{"_.+-:~= "}.find(c) != std::string_view::npos;
  });
}

/// Code points that readers of YAML refuse or fold when they stand raw.
bool needs_escape(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029
    || c == 0xfeff || c == 0xfffe || c == 0xffff;
}

/// Reads one code point of valid UTF-8 at `at` and moves on.
char32_t next_code_point(std::string_view text, size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  const int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  auto point
    = static_cast<char32_t>(more == 0 ? first : first & (0x3f >> more));
  for (int i = 0; i < more && at < text.size(); ++i)
    point = (point << 6) | (static_cast<unsigned char>(text[at++]) & 0x3f);
  return point;
}

void write_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (size_t at = 0; at < text.size();) {
    const auto begin = at;
    const auto point = next_code_point(text, at);
    if (point == '"' || point == '\\')
      out.append("\\").append(1, static_cast<char>(point));
    else if (needs_escape(point))
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(point));
    else
      out.append(text.substr(begin, at - begin));
  }
  out += '"';
}

void write_scalar(std::string& out, const yaml_node& node) {
  if (node.is_null())
    out += "null";
  else if (!node.quoted && may_be_no_string(node.text))
    out += node.text;
  else
    write_quoted(out, node.text);
}

void write_value(std::string& out, const yaml_node& node, size_t indent);

void write_entries(std::string& out, const yaml_node& map, size_t indent,
                   bool first_is_indented) {
  for (const auto& entry : map.entries) {
    if (!std::exchange(first_is_indented, false))
      out.append(indent, ' ');
    write_scalar(out, entry.key);
    out += ':';
    write_value(out, entry.value, indent + 2);
  }
}

void write_value(std::string& out, const yaml_node& node, size_t indent) {
  if (node.is_map() && !node.entries.empty()) {
    out += '\n';
    write_entries(out, node, indent, false);
  } else if (node.is_list() && !node.items.empty()) {
    out += '\n';
    for (const auto& item : node.items) {
      out.append(indent, ' ').append("-");
      if (item.is_map() && !item.entries.empty()) {
        out += ' ';
        write_entries(out, item, indent + 2, true);
      } else {
        write_value(out, item, indent + 2);
      }
    }
  } else {
    out += ' ';
    if (node.is_map())
      out += "{}";
    else if (node.is_list())
      out += "[]";
    else
      write_scalar(out, node);
    out += '\n';
  }
}

} // namespace

std::string write_yaml(const yaml_node& map) {
  std::string out;
  write_entries(out, map, 0, false);
  return out.empty() ? "{}\n" : out;
}

} // namespace weir
