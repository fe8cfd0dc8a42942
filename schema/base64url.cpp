#include "schema/base64url.hpp"

#include <array>
#include <cstdint>

namespace weir {

namespace {

constexpr std::string_view alphabet
  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr unsigned bits_a_character = 6;
constexpr unsigned bits_a_byte = 8;
constexpr int8_t no_value = -1;

constexpr std::array<int8_t, 256> values = [] {
  std::array<int8_t, 256> made{};
  made.fill(no_value);
  for (size_t at = 0; at < alphabet.size(); ++at)
    made[static_cast<unsigned char>(alphabet[at])] = static_cast<int8_t>(at);
  return made;
}();

} // namespace

std::string to_base64url(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * bits_a_byte + bits_a_character - 1)
               / bits_a_character);
  uint32_t held = 0;
  unsigned bits = 0;
  for (const char each : bytes) {
    held = held << bits_a_byte | static_cast<unsigned char>(each);
    bits += bits_a_byte;
    while (bits >= bits_a_character) {
      bits -= bits_a_character;
      text.push_back(alphabet[held >> bits & 0x3FU]);
    }
  }
  if (bits > 0)
    text.push_back(alphabet[held << (bits_a_character - bits) & 0x3FU]);
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() * bits_a_character / bits_a_byte);
  uint32_t held = 0;
  unsigned bits = 0;
  for (const char each : text) {
    const auto value = values[static_cast<unsigned char>(each)];
    if (value == no_value)
      return {};
    held = held << bits_a_character | static_cast<uint32_t>(value);
    bits += bits_a_character;
    if (bits >= bits_a_byte) {
      bits -= bits_a_byte;
      bytes.push_back(static_cast<char>(held >> bits & 0xFFU));
    }
  }
  // A character too many, or bits that no byte needs.
  if (bits == bits_a_character || (held & ((1U << bits) - 1U)) != 0)
    return {};
  return bytes;
}

} // namespace weir
