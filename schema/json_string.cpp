#include "schema/json_string.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace weir {

namespace {

/// The 16 bits of four checked hex digits.
uint32_t hex_value(const char* digits) noexcept {
  uint32_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t c = static_cast<unsigned char>(digits[i]);
    bits = bits << 4U | (c <= '9' ? c - '0' : (c | 0x20U) - 'a' + 10);
  }
  return bits;
}

void append_utf8(std::string& to, uint32_t point) {
  const auto push
    = [&to](uint32_t byte) { to.push_back(static_cast<char>(byte)); };
  const auto push_tail
    = [&](uint32_t shift) { push(0x80U | (point >> shift & 0x3fU)); };
  if (point < 0x80) {
    push(point);
  } else if (point < 0x800) {
    push(0xc0U | point >> 6U);
    push_tail(0);
  } else if (point < 0x10000) {
    push(0xe0U | point >> 12U);
    push_tail(6);
    push_tail(0);
  } else {
    push(0xf0U | point >> 18U);
    push_tail(12);
    push_tail(6);
    push_tail(0);
  }
}

/// Appends what the escape at `raw[at]` stands for; returns the offset after
/// it.
size_t append_escape(std::string& to, std::string_view raw, size_t at) {
  constexpr std::string_view names = "bfnrt";
  constexpr std::string_view controls = "\b\f\n\r\t";
  const char name = raw[at + 1];
  if (name != 'u') {
    const auto known = names.find(name);
    to.push_back(known == std::string_view::npos ? name : controls[known]);
    return at + 2;
  }
  const auto first = hex_value(&raw[at + 2]);
  at += 6;
  if (first >= 0xd800 && first < 0xdc00 && raw.substr(at, 2) == "\\u") {
    const auto second = hex_value(&raw[at + 2]);
    if (second >= 0xdc00 && second < 0xe000) {
      append_utf8(to, 0x10000 + ((first - 0xd800) << 10U) + (second - 0xdc00));
      return at + 6;
    }
  }
  append_utf8(to, first);
  return at;
}

} // namespace

std::string unescape_json(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  size_t at = 0;
  while (at < raw.size()) {
    const auto escape = std::min(raw.find('\\', at), raw.size());
    text.append(raw, at, escape - at);
    at = escape < raw.size() ? append_escape(text, raw, escape) : escape;
  }
  return text;
}

bool holds_lone_surrogate(std::string_view unescaped) noexcept {
  for (size_t i = 0; i + 1 < unescaped.size(); ++i) {
    if (static_cast<uint8_t>(unescaped[i]) == 0xed
        && static_cast<uint8_t>(unescaped[i + 1]) > 0x9f)
      return true;
  }
  return false;
}

} // namespace weir
