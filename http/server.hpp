#pragma once

#include "schema/error.hpp"
#include "schema/http.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weir {

/// The head of one incoming request.
struct request_head {
  std::string method;
  std::string target; ///< Raw path and query, as it stood in the request line.
  std::vector<http_field> fields;
  uint64_t content_length = 0; ///< 0 when chunked or absent.
  bool chunked = false;
  std::string remote; ///< For logs: address of the client.
  std::chrono::steady_clock::time_point
    arrived; ///< When the request line came.

  /// The path without query.
  [[nodiscard]] std::string_view path() const noexcept;
  /// What follows '?', or empty.
  [[nodiscard]] std::string_view query() const noexcept;
};

struct http_response {
  int status = 200;
  std::vector<http_field> fields;
  std::string body;
  /// Closes the connection after the answer.
  bool close = false;
};

/// Answers one request; may be called from any thread, at most once; dropping
/// the last copy unanswered answers 500. After the client is gone it does
/// nothing.
using reply = std::function<void(http_response)>;

/// What to do with a request whose head has arrived.
struct body_wish {
  /// Answer now and do not read the body. (Then the connection is closed unless
  /// the body is empty or small enough to be read and dropped.)
  std::function<void(reply)> answer;
  /// Else: read at most this much; a larger body is answered 413 M_TOO_LARGE.
  uint64_t body_bytes_max = 0;
  /// Else: bytes of the body are taken from the listener's in-flight budget
  /// before the first one is read; a request that finds no room waits until
  /// `hold` after its request line, unread, and is then answered 503 with
  /// Retry-After. `Expect: 100-continue` is answered when reading begins.
  std::chrono::milliseconds hold{45'000};
  /// The body is here. Bytes go back to the budget when the reply is sent.
  std::function<void(std::string body, reply)> take;
};

/// Decides on a request by its head alone. Runs on an I/O thread; must not
/// block.
using head_handler = std::function<body_wish(const request_head&)>;

struct server_options {
  std::string address; ///< `host:port`, IPv6 in brackets; port 0: any.
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

  /// Binds and listens. Errors: `ec::busy` when the address is taken,
  /// `ec::invalid_argument`.
  expected<void> start();

  /// The port listened on, after `start`.
  [[nodiscard]] uint16_t port() const noexcept;

  /// Accepts no more connections; idle ones are closed; the answer under way on
  /// each of the others is sent with `Connection: close`.
  void drain();
  /// Closes everything at once.
  void stop();

  struct figures {
    uint64_t connections = 0, held = 0, budget_used = 0, requests = 0,
             refused = 0;
  };
  [[nodiscard]] figures figures_now() const;

private:
  class impl;
  std::shared_ptr<impl> impl_;
};

} // namespace weir
