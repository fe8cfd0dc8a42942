#pragma once

#include "schema/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// A peer's URL, taken apart once per request.
struct peer_endpoint {
  enum class transport : uint8_t { plain, tls, unix_socket };

  transport kind = transport::plain;
  std::string host; ///< A name or a literal address without brackets.
  uint16_t port = 0;
  std::string socket_path; ///< Of a unix socket.
  std::string host_field;  ///< The value of `Host`.
  std::string base_path;   ///< Empty, or "/base" without a slash at its end.

  /// How a person names it: `host:port`, `[::1]:port` or the socket's path.
  [[nodiscard]] std::string label() const;
};

/// Reads `http://host[:port][/base]`, `https://…`, `unix:/path` and
/// `unix:///path`. Slashes at the end of the base path are dropped.
/// Errors: `ec::invalid_argument`, without the URL's text, which may hold a
/// password where none belongs.
expected<peer_endpoint> parse_peer_url(std::string_view text);

} // namespace weir
