#include "schema/config_values.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <fmt/core.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>

namespace weir {

namespace {

auto refused(std::string_view what) {
  return fail(ec::invalid_argument, std::string{what});
}

void strip_slashes(std::string& text) {
  while (text.size() > 1 && text.back() == '/')
    text.pop_back();
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// `unix:/path`, `unix:///path`.
expected<std::string> normalise_unix_url(std::string_view rest) {
  constexpr std::string_view empty_host = "//";
  std::string path{rest};
  if (path.starts_with("///"))
    path.erase(0, empty_host.size());
  if (path.size() < 2 || path[0] != '/' || path[1] == '/')
    return refused("expected an absolute path after unix:, such as "
                   "unix:/run/bridge.sock");
  if (path.find_first_of("?#") != std::string::npos)
    return refused("expected a socket's path without query or fragment");
  strip_slashes(path);
  constexpr size_t path_bytes_max = sizeof(sockaddr_un::sun_path) - 1;
  if (path.size() > path_bytes_max)
    return refused(fmt::format("expected a socket's path of at most {} bytes",
                               path_bytes_max));
  return "unix:" + path;
}

} // namespace

expected<std::string> normalise_http_url(std::string_view text) {
  constexpr std::string_view form
    = "expected a URL such as http://127.0.0.1:8008 or https://host/base";
  constexpr size_t url_bytes_max = 2048;
  if (text.size() > url_bytes_max)
    return refused(form);
  const auto parsed = boost::urls::parse_uri(
    boost::core::string_view{text.data(), text.size()});
  if (!parsed)
    return refused(form);
  const auto& url = *parsed;
  const auto scheme = lower(std::string{url.scheme()});
  if (scheme != "http" && scheme != "https")
    return refused(form);
  if (url.has_userinfo())
    return refused("expected a URL without user name and password");
  if (url.has_query() || url.has_fragment())
    return refused("expected a URL without query and fragment");
  const std::string host{url.encoded_host()};
  if (host.empty() || host.find('%') != std::string::npos
      || url.host_type() == boost::urls::host_type::ipvfuture)
    return refused(form);
  auto result = scheme + "://" + host;
  if (url.has_port()) {
    const std::string_view digits{url.port().data(), url.port().size()};
    uint16_t port = 0; // Boost's own number is cut to 16 bits.
    const auto parsed_port
      = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (parsed_port.ec != std::errc{} || port == 0)
      return refused("expected a URL with a port from 1 to 65535");
    result.append(":").append(std::to_string(port));
  }
  std::string path{url.encoded_path()};
  while (!path.empty() && path.back() == '/')
    path.pop_back();
  return result + path;
}

expected<std::string> normalise_peer_url(std::string_view text) {
  constexpr std::string_view scheme = "unix:";
  if (lower(std::string{text.substr(0, scheme.size())}) == scheme)
    return normalise_unix_url(text.substr(scheme.size()));
  return normalise_http_url(text);
}

} // namespace weir
