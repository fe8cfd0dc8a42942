#pragma once

#include "http/server.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace weir::test {

/// Waits at most 20 s, without sleeping, until `ready()` is true.
template <class Function>
bool eventually(Function ready);

/// A plain blocking client socket. Every wait ends after 20 s.
class wire_client {
public:
  explicit wire_client(uint16_t port, bool ipv6 = false);
  ~wire_client();
  wire_client(const wire_client&) = delete;
  wire_client& operator=(const wire_client&) = delete;

  /// Sends all; an error ends it early, since a server may close at any time.
  void send(std::string_view bytes);
  /// The next answer: head and, by its Content-Length, body; what came when the
  /// connection ended before.
  std::string answer(bool with_body = true);
  /// `answer` of one request.
  std::string ask(std::string_view bytes) {
    send(bytes);
    return answer();
  }
  /// Exactly `size` bytes, or fewer at the end of the connection.
  std::string read(size_t size);
  /// Whether nothing more comes and the connection is closed.
  bool ended();
  /// Whether nothing has come so far.
  bool silent();
  void end_sending();
  void close();

private:
  bool more();

  int socket_ = -1;
  std::string got_;
};

/// A request that a handler has taken, for the test to answer.
struct taken_request {
  request_head head;
  std::string body;
  weir::reply answer;
};

/// Requests in the order in which a handler got them.
class taken_queue {
public:
  void push(taken_request request);
  /// The next one; waits at most 20 s.
  taken_request next();
  [[nodiscard]] size_t size() const;

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<taken_request> queue_;
};

/// Bounds with which a test that waits for one ends soon.
server_options quick_options();

/// A listener on a free port of the loopback with I/O threads of its own.
class listening {
public:
  explicit listening(head_handler handler,
                     server_options options = quick_options(), int threads = 1);
  ~listening();
  listening(const listening&) = delete;
  listening& operator=(const listening&) = delete;

  [[nodiscard]] uint16_t port() const;
  [[nodiscard]] http_server& server();
  [[nodiscard]] http_server::figures figures() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// Takes every body of at most 1 MiB and answers with method, target and body.
body_wish echo(const request_head& head);

/// Puts every request into `queue`.
head_handler taking(taken_queue& queue, uint64_t body_bytes_max = 1 << 20,
                    std::chrono::milliseconds hold = std::chrono::seconds{20});

/// `PUT /x` with a body.
std::string put(std::string_view body, std::string_view more_fields = {});

/// The status of an answer; 0 when it is none.
int status_of(std::string_view answer);
/// What follows the head of an answer.
std::string body_of(std::string_view answer);
/// The value of a field of an answer, or "none".
std::string field_of(std::string_view answer, std::string_view name);

bool wait_until(const std::function<bool()>& ready);

template <class Function>
bool eventually(Function ready) {
  return wait_until(ready);
}

} // namespace weir::test
