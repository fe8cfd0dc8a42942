#include "persistence/sql/dialect.hpp"

#include <charconv>

namespace weir::sql {

namespace {

constexpr char hex_digits[] = "0123456789abcdef";

int hex_value(char digit) noexcept {
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  if (digit >= 'a' && digit <= 'f')
    return digit - 'a' + 10;
  return -1;
}

void append_hex(std::string& to, std::string_view bytes) {
  to.reserve(to.size() + bytes.size() * 2);
  for (const char each : bytes) {
    const auto value = static_cast<unsigned char>(each);
    to.push_back(hex_digits[value >> 4]);
    to.push_back(hex_digits[value & 0x0F]);
  }
}

} // namespace

std::string dialect::bytes(std::string_view parameter) const {
  std::string text{"CAST("};
  text.append(parameter).append(postgresql ? " AS BYTEA)" : " AS BLOB)");
  return text;
}

std::string_view dialect::clock_ms() const noexcept {
  // SQLite counts days as a double; its own resolution is the millisecond.
  return postgresql
    ? "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS "
      "BIGINT)"
    : "CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS "
      "INTEGER)";
}

void append_bytea(std::string& to, std::string_view bytes) {
  to.append("\\x");
  append_hex(to, bytes);
}

std::string bytes_of_bytea(std::string_view text) {
  std::string bytes;
  if (!text.starts_with("\\x") || text.size() % 2 != 0)
    return bytes;
  bytes.reserve(text.size() / 2 - 1);
  for (size_t at = 2; at < text.size(); at += 2) {
    const int high = hex_value(text[at]);
    const int low = hex_value(text[at + 1]);
    if (high < 0 || low < 0)
      return {};
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

void array_literal::clear() {
  literal_.assign("{");
}

void array_literal::separate() {
  if (literal_.size() > 1)
    literal_.push_back(',');
}

void array_literal::add(int64_t number) {
  separate();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  literal_.append(digits, end);
}

void array_literal::add_text(std::string_view text) {
  separate();
  literal_.push_back('"');
  for (const char each : text) {
    if (each == '"' || each == '\\')
      literal_.push_back('\\');
    literal_.push_back(each);
  }
  literal_.push_back('"');
}

void array_literal::add_bytes(std::string_view bytes) {
  separate();
  literal_.append("\"\\\\x");
  append_hex(literal_, bytes);
  literal_.push_back('"');
}

const std::string& array_literal::close() {
  literal_.push_back('}');
  return literal_;
}

std::string pack_words(std::span<const uint64_t> words) {
  std::string packed;
  packed.reserve(words.size() * 8);
  for (const uint64_t word : words) {
    for (int shift = 56; shift >= 0; shift -= 8)
      packed.push_back(static_cast<char>(word >> shift & 0xFF));
  }
  return packed;
}

} // namespace weir::sql
