#pragma once

#include "schema/http.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

/// The head of one incoming request.
struct request_head {
  std::string method;
  /// Raw path and query, as it stood in the request line; of an absolute form
  /// only what follows the authority. Starts with '/', or is "*".
  std::string target;
  std::vector<http_field> fields;
  uint64_t content_length = 0; ///< 0 when chunked or absent.
  bool chunked = false;
  std::string remote; ///< For logs: address of the client.
  std::chrono::steady_clock::time_point
    arrived; ///< When the request line came.

  /// The path without query.
  [[nodiscard]] std::string_view path() const noexcept {
    return std::string_view{target}.substr(0, target.find('?'));
  }
  /// What follows '?', or empty.
  [[nodiscard]] std::string_view query() const noexcept {
    const auto mark = target.find('?');
    return mark == std::string::npos
      ? std::string_view{}
      : std::string_view{target}.substr(mark + 1);
  }
};

/// The answer to one request. `Content-Length` and `Connection` are the
/// listener's.
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
  /// Else, when set: called once with a function that opens the way. Until it
  /// is called, from any thread, nothing is reserved and nothing read; `hold`
  /// runs meanwhile. So a request to a full queue waits outside.
  std::function<void(std::function<void()> open)> gate;
  /// Else: read at most this much; a larger body is answered 413 M_TOO_LARGE.
  uint64_t body_bytes_max = 0;
  /// Else: bytes of the body are taken from the listener's in-flight budget
  /// before the first one is read; a request that finds no room waits until
  /// `hold` after its request line, unread, and is then answered 503 with
  /// Retry-After. `Expect: 100-continue` is answered when reading begins. Of a
  /// chunked body, whose size nobody knows, `body_bytes_max` is taken, and what
  /// it did not need is given back when it is whole: taking step by step could
  /// leave half-read bodies waiting for each other.
  std::chrono::milliseconds hold{45'000};
  /// The body is here, with room for 64 more bytes in its capacity, which a
  /// JSON slicer may read. Its bytes go back to the budget when the reply is
  /// sent.
  std::function<void(std::string body, reply)> take;
};

/// An answer that needs no body.
inline body_wish answer_at_once(http_response response) {
  body_wish wish;
  wish.answer = [response = std::move(response)](const reply& answer) {
    answer(response);
  };
  return wish;
}

/// Decides on a request by its head alone. Runs on an I/O thread; must not
/// block.
using head_handler = std::function<body_wish(const request_head&)>;

} // namespace weir
