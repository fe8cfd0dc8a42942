#include "http/client/address_order.hpp"

#include <algorithm>
#include <utility>

namespace weir {

std::vector<std::string> address_order(std::vector<std::string> addresses) {
  const auto is_ipv6
    = [](const std::string& text) { return text.find(':') != text.npos; };
  if (addresses.empty())
    return addresses;
  const bool first_family = is_ipv6(addresses.front());
  std::vector<std::string> first;
  std::vector<std::string> second;
  for (auto& address : addresses)
    (is_ipv6(address) == first_family ? first : second)
      .push_back(std::move(address));
  std::vector<std::string> ordered;
  for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size())
      ordered.push_back(std::move(first[i]));
    if (i < second.size())
      ordered.push_back(std::move(second[i]));
  }
  return ordered;
}

std::chrono::milliseconds address_share(std::chrono::milliseconds deadline,
                                        size_t count) noexcept {
  // Source: RFC 8305, "Connection Attempt Delay".
  constexpr std::chrono::milliseconds longest{250};
  const auto shares = static_cast<std::chrono::milliseconds::rep>(2 * count);
  return count == 0 ? longest : std::min(longest, deadline / shares);
}

} // namespace weir
