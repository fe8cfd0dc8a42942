#include "persistence/text_check.hpp"

#include <cstdint>
#include <cstring>

namespace weir {

namespace {

/// Length of the sequence that begins at `at`; 0 when it is none.
size_t sequence_length(const unsigned char* at, size_t left) noexcept {
  const auto follows = [&](size_t index, unsigned low, unsigned high) {
    return index < left && at[index] >= low && at[index] <= high;
  };
  const unsigned lead = at[0];
  if (lead >= 0xC2 && lead <= 0xDF)
    return follows(1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF)
        && follows(3, 0x80, 0xBF)
      ? 4
      : 0;
  }
  return 0;
}

} // namespace

bool storable_as_text(std::string_view bytes) noexcept {
  if (std::memchr(bytes.data(), 0, bytes.size()) != nullptr)
    return false;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t at = 0;
  while (at < bytes.size()) {
    uint64_t eight = 0;
    if (bytes.size() - at >= sizeof eight) {
      std::memcpy(&eight, data + at, sizeof eight);
      if ((eight & 0x8080808080808080U) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    if (data[at] < 0x80) {
      ++at;
      continue;
    }
    const auto length = sequence_length(data + at, bytes.size() - at);
    if (length == 0)
      return false;
    at += length;
  }
  return true;
}

} // namespace weir
