#include "http/client/peer_endpoint.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>

namespace weir {

namespace {

/// `sockaddr_un` holds 108 bytes with the closing zero.
constexpr size_t socket_path_bytes_max = 107;
constexpr uint16_t http_port = 80;
constexpr uint16_t https_port = 443;

expected<peer_endpoint> parse_unix(std::string_view path) {
  if (path.starts_with("///"))
    path.remove_prefix(2);
  if (!path.starts_with('/') || path.starts_with("//"))
    return fail(ec::invalid_argument, "peer url: unix: needs an absolute path");
  if (path.size() > socket_path_bytes_max)
    return fail(ec::invalid_argument, "peer url: socket path is too long");
  if (path.find('\0') != path.npos)
    return fail(ec::invalid_argument, "peer url: socket path holds a zero");
  peer_endpoint peer;
  peer.kind = peer_endpoint::transport::unix_socket;
  peer.socket_path = path;
  peer.host_field = "localhost";
  return peer;
}

bool is_host_name(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
      || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  });
}

std::string bracketed(const std::string& host) {
  return host.find(':') == host.npos ? host : "[" + host + "]";
}

/// What a peer's URL may not have.
const char* objection(const boost::urls::url_view& url) {
  if (url.scheme_id() != boost::urls::scheme::http
      && url.scheme_id() != boost::urls::scheme::https)
    return "peer url: scheme is not http, https or unix";
  if (url.has_userinfo())
    return "peer url: user and password are not taken";
  if (url.has_query() || url.has_fragment())
    return "peer url: query and fragment are not taken";
  if (!url.has_authority())
    return "peer url: no host";
  if (url.host_type() != boost::urls::host_type::ipv6
      && !is_host_name(std::string{url.encoded_host()}))
    return "peer url: host is no name and no address";
  if (url.has_port() && !url.port().empty() && url.port_number() == 0)
    return "peer url: port is not within 1 to 65535";
  return nullptr;
}

} // namespace

std::string peer_endpoint::label() const {
  if (kind == transport::unix_socket)
    return socket_path;
  return bracketed(host) + ":" + std::to_string(port);
}

expected<peer_endpoint> parse_peer_url(std::string_view text) {
  if (text.starts_with("unix:"))
    return parse_unix(text.substr(5));
  const auto parsed = boost::urls::parse_uri({text.data(), text.size()});
  if (!parsed)
    return fail(ec::invalid_argument, "peer url: not a URL");
  const auto& url = *parsed;
  if (const char* why = objection(url))
    return fail(ec::invalid_argument, why);

  peer_endpoint peer;
  const bool tls = url.scheme_id() == boost::urls::scheme::https;
  const auto default_port = tls ? https_port : http_port;
  peer.kind
    = tls ? peer_endpoint::transport::tls : peer_endpoint::transport::plain;
  peer.host = url.host_address();
  peer.port = url.port_number() == 0 ? default_port : url.port_number();
  peer.host_field = bracketed(peer.host);
  if (peer.port != default_port)
    peer.host_field += ":" + std::to_string(peer.port);
  peer.base_path = std::string{url.encoded_path()};
  while (peer.base_path.ends_with('/'))
    peer.base_path.pop_back();
  return peer;
}

} // namespace weir
