#include "schema/base64.hpp"

#include <algorithm>
#include <openssl/evp.h>

namespace weir {

namespace {

constexpr size_t characters_a_group = 4;
constexpr size_t bytes_a_group = 3;

unsigned char* octets(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

const unsigned char* octets(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

} // namespace

std::string to_base64(std::string_view bytes) {
  const auto groups = (bytes.size() + bytes_a_group - 1) / bytes_a_group;
  // OpenSSL ends what it writes with a zero.
  std::string text(groups * characters_a_group + 1, '\0');
  EVP_EncodeBlock(octets(text), octets(bytes), static_cast<int>(bytes.size()));
  text.pop_back();
  return text;
}

std::string to_base64url(std::string_view bytes) {
  auto text = to_base64(bytes);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  const auto groups
    = (text.size() + characters_a_group - 1) / characters_a_group;
  std::string standard{text};
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  standard.resize(groups * characters_a_group, '=');
  std::string bytes(groups * bytes_a_group, '\0');
  if (EVP_DecodeBlock(octets(bytes), octets(std::string_view{standard}),
                      static_cast<int>(standard.size()))
      < 0)
    return {};
  bytes.resize(text.size() * bytes_a_group / characters_a_group);
  // OpenSSL is lenient: white space, either alphabet, bits that no byte needs.
  if (to_base64url(bytes) != text)
    return {};
  return bytes;
}

} // namespace weir
