#include "persistence/text_list.hpp"

#include <charconv>

namespace weir {

std::string pack_texts(const std::vector<std::string>& texts) {
  std::string packed;
  for (const auto& each : texts)
    packed.append(std::to_string(each.size())).append(":").append(each);
  return packed;
}

std::optional<std::vector<std::string>> unpack_texts(std::string_view packed) {
  std::vector<std::string> texts;
  while (!packed.empty()) {
    size_t length = 0;
    const auto [end, failed]
      = std::from_chars(packed.data(), packed.data() + packed.size(), length);
    packed.remove_prefix(static_cast<size_t>(end - packed.data()));
    if (failed != std::errc{} || packed.empty() || packed.front() != ':'
        || packed.size() - 1 < length)
      return {};
    texts.emplace_back(packed.substr(1, length));
    packed.remove_prefix(1 + length);
  }
  return texts;
}

} // namespace weir
