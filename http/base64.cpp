#include "http/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace weir {

std::string base64(std::string_view bytes) {
  constexpr std::string_view alphabet
    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t three = 0;
    for (size_t each = 0; each < 3; ++each)
      three = (three << 8)
        | (at + each < bytes.size()
             ? static_cast<unsigned char>(bytes[at + each])
             : 0U);
    const auto digits = std::min<size_t>(bytes.size() - at, 3) + 1;
    for (size_t each = 0; each < 4; ++each)
      text += each < digits ? alphabet[(three >> (18 - 6 * each)) & 63U] : '=';
  }
  return text;
}

} // namespace weir
