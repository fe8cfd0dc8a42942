#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace weir::test {

/// Where the proxy cuts the next COMMIT that passes through it.
enum class commit_cut {
  nowhere,
  before, ///< COMMIT does not reach the server, which rolls back.
  after,  ///< The server commits; its answer does not come back.
};

/// A TCP proxy on loopback in front of a PostgreSQL server, for one client
/// connection at a time. Cuts once, then lets everything through again.
class cut_proxy {
public:
  explicit cut_proxy(uint16_t server_port);
  ~cut_proxy();
  cut_proxy(const cut_proxy&) = delete;
  cut_proxy& operator=(const cut_proxy&) = delete;

  [[nodiscard]] uint16_t port() const noexcept {
    return port_;
  }
  void cut_next_commit(commit_cut where) {
    cut_ = where;
  }
  /// How many connections were cut.
  [[nodiscard]] int cuts() const {
    return cuts_;
  }

private:
  void serve();
  void relay(int client, int server);

  uint16_t server_port_;
  uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<commit_cut> cut_{commit_cut::nowhere};
  std::atomic<int> cuts_{0};
  std::thread worker_;
};

} // namespace weir::test
