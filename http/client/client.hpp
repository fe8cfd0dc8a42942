#pragma once

#include "http/client/name_lookup.hpp"
#include "schema/http.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace weir {

/// Outbound HTTP/1.1 over keep-alive pools: TCP, TLS, unix sockets. Follows no
/// redirects and heeds no proxy variables of the environment.
/// Thread-safe; the work runs on the io_context, and so do the continuations,
/// which may send again. The io_context outlives the client, and must go on
/// running after `stop` until the last continuation has run.
class http_client {
public:
  struct limits {
    size_t idle_per_peer_max = 16; ///< Kept-alive connections.
    /// All connections, until `use_open_max`. At it, idle ones give way; then
    /// requests are `refused`.
    size_t open_max = 4096;
    std::chrono::seconds idle_time{30}; ///< Then a kept connection is closed.
  };

  /// Names one request for `abort`; unique in this process.
  using request_id = uint64_t;
  using continuation = std::function<void(http_answer)>;

  /// `find` asks for a name's addresses; it blocks, on threads of its own.
  explicit http_client(boost::asio::io_context& io)
    : http_client{io, limits{}} {
  }
  http_client(boost::asio::io_context& io, limits bounds,
              find_addresses find = find_system_addresses);
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  /// Changes the bound of all connections; none is closed.
  void use_open_max(size_t open_max);

  /// Sends one request. `done` runs exactly once, after the connection of a
  /// failed request was closed. A kept connection that dies before a byte of
  /// the answer came is replaced, once; a POST never goes on one (sent once).
  /// When the head is whole the answer counts, even if its body is then cut,
  /// late or garbled; only a request with `whole_body` fails by that. An `id`
  /// that is in flight already is `refused`.
  void send(request_id id, http_request request, continuation done);

  /// Gives a request up: closes its connection, then runs its continuation with
  /// `no_answer::aborted`. Unknown ids do nothing.
  void abort(request_id id);

  /// Closes idle connections and aborts all requests; the pools stay empty.
  void stop();

  struct figures {
    uint64_t open = 0;      ///< Connections now, the idle ones among them.
    uint64_t idle = 0;      ///< Kept-alive connections now.
    uint64_t in_flight = 0; ///< Requests now.
    uint64_t requests = 0;  ///< Requests well formed, since the beginning.
    uint64_t connects = 0;  ///< Connections opened, since the beginning.
  };
  [[nodiscard]] figures figures_now() const;

private:
  class impl;
  std::shared_ptr<impl> impl_;
};

} // namespace weir
