#pragma once

#include "schema/http.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace weir {

/// Outbound HTTP/1.1 over keep-alive pools: TCP, TLS, unix sockets.
/// Thread-safe; the work runs on the io_context, and so do the continuations.
class http_client {
public:
  struct limits {
    size_t idle_per_peer_max = 16; ///< Kept-alive connections.
    size_t open_max = 4096;        ///< All connections; above it: `refused`.
    std::chrono::seconds idle_time{30}; ///< Then a kept connection is closed.
  };

  /// Names one request for `abort`; unique in this process.
  using request_id = uint64_t;
  using continuation = std::function<void(http_answer)>;

  explicit http_client(boost::asio::io_context& io, limits bounds = {});
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  /// Sends one request. `done` runs exactly once, after the connection of a
  /// failed request has been closed. A kept connection that turns out to be
  /// dead before a byte of the answer came is replaced by a new one, once.
  void send(request_id id, http_request request, continuation done);

  /// Gives a request up: closes its connection, then runs its continuation with
  /// `no_answer::aborted`. Unknown ids do nothing.
  void abort(request_id id);

  /// Closes idle connections and aborts all requests; the pools stay empty.
  void stop();

  struct figures {
    uint64_t open = 0, idle = 0, requests = 0, connects = 0;
  };
  [[nodiscard]] figures figures_now() const;

private:
  class impl;
  std::shared_ptr<impl> impl_;
};

} // namespace weir
