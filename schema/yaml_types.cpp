#include "schema/yaml.hpp"

#include <algorithm>
#include <array>

namespace weir {

namespace {

constexpr std::string_view digits = "0123456789_";

/// Moves over characters of `set` and returns whether there was one.
bool skip(std::string_view& text, std::string_view set) {
  const auto end = std::min(text.find_first_not_of(set), text.size());
  text.remove_prefix(end);
  return end > 0;
}

bool skip_one(std::string_view& text, std::string_view set) {
  if (text.empty() || set.find(text.front()) == std::string_view::npos)
    return false;
  text.remove_prefix(1);
  return true;
}

bool is_word(std::string_view text) {
  std::string lower{text};
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  constexpr std::array<std::string_view, 16> words{
    "",    "~", "null", "true", "false", "yes",  "no",   "on",
    "off", "y", "n",    "=",    "<<",    ".inf", ".nan", "+.inf"};
  return lower == "-.inf"
    || std::find(words.begin(), words.end(), lower) != words.end();
}

bool is_number(std::string_view text) {
  skip_one(text, "+-");
  auto rest = text;
  if (skip_one(rest, "0") && skip_one(rest, "xX"))
    return skip(rest, "0123456789abcdefABCDEF_") && rest.empty();
  rest = text;
  if (skip_one(rest, "0") && skip_one(rest, "bB"))
    return skip(rest, "01_") && rest.empty();
  rest = text;
  if (skip_one(rest, "0") && skip_one(rest, "oO"))
    return skip(rest, "01234567_") && rest.empty();
  bool has_digits = skip(text, digits);
  while (has_digits && skip_one(text, ":")) // Base 60, of YAML 1.1.
    if (!skip(text, digits))
      return false;
  if (skip_one(text, "."))
    has_digits = skip(text, digits) || has_digits;
  if (has_digits && skip_one(text, "eE")) {
    skip_one(text, "+-");
    if (!skip(text, digits))
      return false;
  }
  return has_digits && text.empty();
}

/// `2001-12-14`, whatever follows.
bool is_time(std::string_view text) {
  return text.size() >= 8 && skip(text, digits) && skip_one(text, "-")
    && skip(text, digits) && skip_one(text, "-") && skip(text, digits)
    && (text.empty() || skip_one(text, "Tt \t"));
}

} // namespace

bool is_yaml_string(const yaml_node& node) {
  return node.is_scalar()
    && (node.quoted
        || (!is_word(node.text) && !is_number(node.text)
            && !is_time(node.text)));
}

} // namespace weir
