#include "schema/json_check.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weir {

namespace {

constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Bytes that stand for themselves in a string and end no run.
constexpr std::array<bool, 256> plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (size_t byte = 0x20; byte < 0x80; ++byte)
    plain[byte] = byte != '"' && byte != '\\';
  return plain;
}();

/// The first byte from `at` that is not plain ASCII string content.
const char* skip_plain(const char* at, const char* end) noexcept {
#ifdef __SSE2__
  const auto quote = _mm_set1_epi8('"');
  const auto backslash = _mm_set1_epi8('\\');
  const auto space = _mm_set1_epi8(' ');
  for (; end - at >= 16; at += 16) {
    const auto block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // The comparison is signed: it finds bytes from 0x80 on with the control
    // characters.
    const auto special
      = _mm_or_si128(_mm_cmplt_epi8(block, space),
                     _mm_or_si128(_mm_cmpeq_epi8(block, quote),
                                  _mm_cmpeq_epi8(block, backslash)));
    const auto found = static_cast<uint32_t>(_mm_movemask_epi8(special));
    if (found != 0)
      return at + std::countr_zero(found);
  }
#endif
  while (at != end && plain_bytes[static_cast<unsigned char>(*at)])
    ++at;
  return at;
}

/// Length of the well-formed multi-byte UTF-8 sequence at `at`, else 0.
/// Source: Unicode Standard, table 3-7.
size_t wide_length(const char* at, const char* end) noexcept {
  const auto left = static_cast<size_t>(end - at);
  const auto byte = [at](size_t i) { return static_cast<uint8_t>(at[i]); };
  const auto tail = [&](size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const auto lead = byte(0);
  if (lead >= 0xc2 && lead <= 0xdf)
    return left >= 2 && tail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (left < 3 || !tail(1) || !tail(2))
      return 0;
    const bool overlong = lead == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = lead == 0xed && byte(1) > 0x9f;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (left < 4 || !tail(1) || !tail(2) || !tail(3))
      return 0;
    const bool overlong = lead == 0xf0 && byte(1) < 0x90;
    const bool beyond = lead == 0xf4 && byte(1) > 0x8f;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

} // namespace

expected<void> check_json(std::string_view text, size_t depth_max) {
  json_cursor cursor{text, depth_max};
  std::string_view raw;
  if (!cursor.value(raw) || !cursor.finish())
    return fail(cursor.failure());
  return ok();
}

json_cursor::json_cursor(std::string_view text, size_t depth_max) noexcept
  : begin_{text.data()},
    at_{begin_},
    end_{begin_ + text.size()},
    depth_max_{std::min(depth_max, limits::json_depth_max)} {
}

char json_cursor::peek() noexcept {
  skip_space();
  return at_ != end_ ? *at_ : '\0';
}

bool json_cursor::value(std::string_view& raw) {
  skip_space();
  const auto* const first = at_;
  if (!pass())
    return false;
  raw = {first, static_cast<size_t>(at_ - first)};
  return true;
}

bool json_cursor::finish() noexcept {
  skip_space();
  return at_ == end_ || refuse("the end of the text");
}

error json_cursor::failure() const {
  return {ec::not_json,
          "byte " + std::to_string(offset()) + ": expected "
            + (wanted_ ? wanted_ : "nothing")};
}

bool json_cursor::refuse(const char* wanted) noexcept {
  wanted_ = wanted;
  return false;
}

bool json_cursor::refuse_end(bool in_object) noexcept {
  return refuse(in_object ? "a comma or the end of the object"
                          : "a comma or the end of the list");
}

void json_cursor::skip_space() noexcept {
  while (at_ != end_ && is_space(*at_))
    ++at_;
}

bool json_cursor::open(char first) noexcept {
  if (peek() != first)
    return refuse("a container");
  if (depth_ == depth_max_)
    return refuse("less nesting");
  in_object_[++depth_] = first == '{';
  ++at_;
  return true;
}

bool json_cursor::close(char last) noexcept {
  if (peek() != last)
    return false;
  ++at_;
  --depth_;
  return true;
}

bool json_cursor::comma() noexcept {
  if (peek() != ',')
    return false;
  ++at_;
  return true;
}

bool json_cursor::key(std::string_view& raw_key) noexcept {
  if (peek() != '"')
    return refuse("a key");
  const auto* const first = at_ + 1;
  if (!string())
    return false;
  raw_key = {first, static_cast<size_t>(at_ - 1 - first)};
  if (peek() != ':')
    return refuse("a colon");
  ++at_;
  return true;
}

bool json_cursor::string() noexcept {
  ++at_;
  for (;;) {
    at_ = skip_plain(at_, end_);
    if (at_ == end_)
      return refuse("the closing quote of a string");
    const auto byte = static_cast<uint8_t>(*at_);
    if (byte == '"') {
      ++at_;
      return true;
    }
    if (byte < 0x20)
      return refuse("an escape instead of a control character");
    if (!(byte == '\\' ? escape() : wide_characters()))
      return false;
  }
}

bool json_cursor::escape() noexcept {
  constexpr std::string_view short_escapes = "\"\\/bfnrt";
  const auto left = static_cast<size_t>(end_ - at_);
  if (left >= 2 && short_escapes.find(at_[1]) != std::string_view::npos) {
    at_ += 2;
    return true;
  }
  if (left >= 6 && at_[1] == 'u' && std::all_of(at_ + 2, at_ + 6, is_hex)) {
    at_ += 6;
    return true;
  }
  return refuse("a known escape");
}

bool json_cursor::wide_characters() noexcept {
  while (at_ != end_ && static_cast<uint8_t>(*at_) >= 0x80) {
    const auto length = wide_length(at_, end_);
    if (length == 0)
      return refuse("valid UTF-8");
    at_ += length;
  }
  return true;
}

bool json_cursor::digits() noexcept {
  if (at_ == end_ || !is_digit(*at_))
    return refuse("a digit");
  while (at_ != end_ && is_digit(*at_))
    ++at_;
  return true;
}

bool json_cursor::number() noexcept {
  const auto take = [this](char c) {
    const bool there = at_ != end_ && *at_ == c;
    at_ += there ? 1 : 0;
    return there;
  };
  take('-');
  if (!take('0') && !digits())
    return false;
  if (take('.') && !digits())
    return false;
  if (take('e') || take('E')) {
    if (!take('+'))
      take('-');
    return digits();
  }
  return true;
}

bool json_cursor::literal(std::string_view word) noexcept {
  const std::string_view left{at_, static_cast<size_t>(end_ - at_)};
  if (!left.starts_with(word))
    return refuse("true, false or null");
  at_ += word.size();
  return true;
}

bool json_cursor::scalar() noexcept {
  if (at_ == end_)
    return refuse("a value");
  switch (*at_) {
  case '"': return string();
  case 't': return literal("true");
  case 'f': return literal("false");
  case 'n': return literal("null");
  default: return *at_ == '-' || is_digit(*at_) ? number() : refuse("a value");
  }
}

/// Passes a scalar, an empty container, or a container's first bracket (and
/// first key); `complete` says whether a value has ended.
bool json_cursor::begin_value(bool& complete) noexcept {
  const char first = peek();
  complete = true;
  if (first != '{' && first != '[')
    return scalar();
  if (!open(first))
    return false;
  if (close(first == '{' ? '}' : ']'))
    return true;
  complete = false;
  std::string_view raw_key;
  return first == '[' || key(raw_key);
}

/// After a value: passes closing brackets down to depth `base`, or a comma (and
/// the next key), after which another value must begin.
bool json_cursor::end_value(size_t base, bool& complete) noexcept {
  while (depth_ != base) {
    const bool object = in_object_[depth_];
    if (comma()) {
      complete = false;
      std::string_view raw_key;
      return !object || key(raw_key);
    }
    if (!close(object ? '}' : ']'))
      return refuse_end(object);
  }
  complete = true;
  return true;
}

bool json_cursor::pass() noexcept {
  const auto base = depth_;
  for (bool complete = false; !complete;) {
    if (!begin_value(complete) || (complete && !end_value(base, complete)))
      return false;
  }
  return true;
}

} // namespace weir
