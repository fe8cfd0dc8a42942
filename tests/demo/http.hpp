#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace demo {

/// One request as a demonstration peer sees it.
struct incoming {
  std::string method;
  std::string target;
  std::string body;
};

/// A status and a JSON body.
struct answer {
  int status = 200;
  std::string body = "{}";
};

/// A loopback HTTP/1.1 server on a port of its own choice: one thread a
/// connection, bodies by Content-Length only, which is all that Weir sends.
class http_peer {
public:
  using handler = std::function<answer(const incoming&)>;

  explicit http_peer(handler on_request);
  ~http_peer();
  http_peer(const http_peer&) = delete;
  http_peer& operator=(const http_peer&) = delete;

  [[nodiscard]] uint16_t port() const noexcept {
    return port_;
  }

private:
  void accept_all();
  void serve(int connection);

  handler on_request_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<int> connections_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// Sends one request on a connection of its own and returns the status, or
/// nothing if no whole answer came within `seconds`.
std::optional<int> ask(uint16_t port, const std::string& method,
                       const std::string& target, const std::string& token,
                       const std::string& body, int seconds);

/// A loopback port that nobody listens on at the moment.
uint16_t free_port();

} // namespace demo
