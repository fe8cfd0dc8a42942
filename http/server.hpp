#pragma once

#include "http/exchange.hpp"
#include "schema/error.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// Declared, not included, so that who only starts a listener pays for no Asio.
namespace boost::asio {
class io_context;
}

namespace weir {

/// What an accepted connection does. Each is in one state at a time.
enum class connection_state : uint8_t {
  handshake,    ///< TLS
  idle,         ///< Open; nothing of a next request has come.
  reading_head, ///< A request has begun.
  held,         ///< Waits, its body unread, for a queue or for room.
  reading_body,
  answering, ///< What was asked is being done.
  writing,   ///< The answer is on its way.
  closing,   ///< Answered for the last time.
};
inline constexpr std::array connection_state_names{
  std::string_view{"handshake"},    std::string_view{"idle"},
  std::string_view{"reading_head"}, std::string_view{"held"},
  std::string_view{"reading_body"}, std::string_view{"answering"},
  std::string_view{"writing"},      std::string_view{"closing"}};
inline constexpr size_t connection_states = connection_state_names.size();

/// Where to listen, and the bounds.
struct server_options {
  std::string address;          ///< `host:port`, IPv6 in brackets; port 0: any.
  std::string certificate_file; ///< PEM; empty: no TLS.
  std::string key_file;         ///< PEM.
  uint64_t budget_bytes = uint64_t{512} << 20; ///< Bodies in flight, all told.
  size_t connections_max = 4096;
  size_t header_bytes_max = size_t{64} << 10;
  std::chrono::milliseconds header_time{15'000};
  std::chrono::milliseconds body_time{60'000};  ///< Whole body.
  std::chrono::milliseconds idle_time{150'000}; ///< Between requests.
};

/// One listener. Requests of one connection are answered in their order, one
/// at a time. HTTP/1.1 and 1.0; anything else is refused as HTTP says.
class http_server {
public:
  http_server(boost::asio::io_context& io, server_options options,
              head_handler handler);
  ~http_server();

  /// Binds and listens. Errors: `ec::busy` when the address is taken;
  /// `ec::invalid_argument`; those of `tls_identity::load`.
  expected<void> start();

  /// The port listened on, after `start`.
  [[nodiscard]] uint16_t port() const noexcept;

  /// Takes in the connections that wait in the backlog and no others; serves
  /// every request that has come, answered with `Connection: close`; closes the
  /// connections on which none has. Whoever drains bounds it by `stop` after
  /// `patience`: what finds no room for its body by then is told to come back.
  void drain(std::chrono::milliseconds patience);
  /// Whether a drain has come to its end.
  [[nodiscard]] bool drained() const;
  /// Closes everything at once.
  void stop();

  /// Requests that were refused before the handler's answer, by reason.
  struct refusals {
    uint64_t malformed = 0, too_large = 0, too_slow = 0, busy = 0;
  };
  struct figures {
    uint64_t connections = 0, held = 0, budget_used = 0, requests = 0,
             refused = 0, displaced = 0;
    http_server::refusals refusals = {};
    /// Of the connections: by `connection_state`.
    std::array<uint64_t, connection_states> by_state = {};
    bool certificate_refused = false;
    int64_t certificate_expires_s = 0; ///< Since 1970; 0 without TLS.
  };
  [[nodiscard]] figures figures_now() const;

private:
  class impl;
  std::shared_ptr<impl> impl_;
};

} // namespace weir
