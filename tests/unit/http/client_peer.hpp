#pragma once

#include <openssl/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace weir::test {

/// One connection as the scripted peer sees it. Blocking calls; every one
/// returns when the peer is destroyed.
class peer_connection {
public:
  explicit peer_connection(int descriptor, SSL* session = nullptr);
  ~peer_connection();
  peer_connection(const peer_connection&) = delete;
  peer_connection& operator=(const peer_connection&) = delete;

  /// The head with its empty line, or what came before the client closed.
  std::string read_head();
  /// Head and body by its Content-Length; empty when the client closed first.
  std::string read_request();
  void write(std::string_view bytes);
  /// Reads until the client closes.
  void wait_closed();
  /// Reads nothing until the client closes or the peer is destroyed.
  void wait_shut();
  void close();
  /// Sends nothing more; the client sees the end.
  void half_close();
  /// Closes with RST.
  void reset();
  /// Wakes every blocked call. Any thread.
  void shut() noexcept;

private:
  size_t read_some(char* into, size_t size);

  std::atomic<int> descriptor_;
  SSL* session_;
  std::string ahead_; ///< Read and not yet asked for.
};

/// What to do with the connection of this number, from 0.
using peer_script = std::function<void(peer_connection&, size_t number)>;

struct peer_options {
  std::string address = "127.0.0.1"; ///< Or "::1", or a socket's path.
  uint16_t port = 0;
  SSL_CTX* tls = nullptr;
  bool deaf = false; ///< Accepts nothing and lets connecting hang.
};

/// A little server in threads; each connection runs the script.
class scripted_peer {
public:
  explicit scripted_peer(peer_script script, peer_options options = {});
  ~scripted_peer();
  scripted_peer(const scripted_peer&) = delete;
  scripted_peer& operator=(const scripted_peer&) = delete;

  [[nodiscard]] uint16_t port() const noexcept {
    return port_;
  }
  /// `http://127.0.0.1:port`
  [[nodiscard]] std::string url() const;
  [[nodiscard]] size_t accepted() const noexcept {
    return accepted_.load();
  }

private:
  void accept_all();
  void serve(int descriptor, size_t number);

  peer_script script_;
  peer_options options_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<size_t> accepted_ = 0;
  std::atomic<bool> stopping_ = false;
  std::mutex lock_;
  std::list<peer_connection*> open_;
  std::list<std::thread> threads_;
  std::list<int> fillers_; ///< Fill the queue of a deaf peer.
  std::thread acceptor_;
};

/// An answer with Content-Length.
std::string answer_text(int status, std::string_view body = {},
                        std::string_view fields = {});

/// Answers every request of a connection alike, until the client closes.
peer_script answer_all(std::string answer);

} // namespace weir::test
