#include "persistence/sql/location.hpp"

#include <algorithm>

namespace weir::sql {

namespace {

/// Several servers may have been tried.
constexpr size_t reason_bytes_max = 400;

} // namespace

std::string shown_location(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos)
    return "storage.url";
  const auto begin = scheme + 3;
  if (url.substr(0, scheme) == "sqlite")
    return std::string{url.substr(begin)};
  auto shown = std::string{url.substr(0, url.find('?'))};
  const auto host = shown.rfind('@');
  if (host == std::string::npos)
    return url.find('@') == std::string_view::npos
      ? shown
      : std::string{url.substr(0, scheme)};
  const auto password = shown.find(':', begin);
  if (password < host)
    shown.erase(password, host - password);
  return shown;
}

std::string connect_reason(std::string_view said) {
  const auto from = said.find("connection to server ");
  if (from == std::string_view::npos)
    return {};
  std::string reason{said.substr(from, reason_bytes_max)};
  reason.erase(reason.find_last_not_of(" \n\t") + 1);
  std::replace_if(
    reason.begin(), reason.end(),
    [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return reason;
}

} // namespace weir::sql
