#include "schema/own_address.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace weir {

namespace {

constexpr std::string_view own_paths = "/_weir/as/";

/// `host:port`, IPv6 in brackets, and the path behind it.
struct address {
  std::string host; ///< In lower case.
  std::string port;
  std::string_view path;
};

std::string lower(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

address split(std::string_view authority, std::string_view port) {
  address result;
  const auto slash = std::min(authority.find('/'), authority.size());
  result.path = authority.substr(slash);
  const auto name = authority.substr(0, slash);
  const auto colon = name.rfind(':');
  const bool has_port = colon != std::string_view::npos
    && colon + 1 < name.size()
    && name.find(']', colon) == std::string_view::npos;
  result.host = lower(has_port ? name.substr(0, colon) : name);
  result.port = has_port ? name.substr(colon + 1) : port;
  return result;
}

address address_of_url(std::string_view url) {
  constexpr std::string_view mark = "://";
  const auto end = url.find(mark);
  return split(url.substr(end + mark.size()),
               url.starts_with("https") ? "443" : "80");
}

/// A name of this machine that every machine has for itself.
bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

/// A listener on all addresses has the loopback ones, and of the others nobody
/// knows here which they are.
bool reaches(const address& peer, std::string_view listen) {
  const auto own = split(listen, "");
  if (peer.port != own.port)
    return false;
  const bool is_any = own.host == "0.0.0.0" || own.host == "[::]";
  if (is_any)
    return is_loopback(peer.host) || peer.host == "0.0.0.0"
      || peer.host == "[::]";
  return peer.host == own.host
    || (peer.host == "localhost" && is_loopback(own.host));
}

} // namespace

bool leads_to_weir(const config& settings, std::string_view url) {
  if (url.starts_with("unix:"))
    return false;
  const auto peer = address_of_url(url);
  if ((std::string{peer.path} + "/").find(own_paths) != std::string::npos)
    return true;
  const std::array listeners{&settings.listen, &settings.admin.listen};
  const bool is_listener = std::any_of(
    listeners.begin(), listeners.end(),
    [&](const std::string* each) { return reaches(peer, *each); });
  if (is_listener || settings.public_url.empty())
    return is_listener;
  // A proxy may have bridges at other paths of the same host.
  const auto told = address_of_url(settings.public_url);
  return peer.host == told.host && peer.port == told.port
    && peer.path == told.path;
}

} // namespace weir
