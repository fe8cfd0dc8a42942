#include "tests/support/database/cut_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace weir::test {

namespace {

/// A simple query message: type, length, text, zero. Source: PostgreSQL 15,
/// "Message Formats". libpq sends it alone and whole.
constexpr std::string_view commit_message{"Q\0\0\0\x0B"
                                          "COMMIT\0",
                                          12};
/// How often a stop is looked for.
constexpr int poll_ms = 20;

sockaddr_in loopback(uint16_t port) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(port);
  return where;
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

} // namespace

cut_proxy::cut_proxy(uint16_t server_port)
  : server_port_{server_port},
    listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
  auto where = loopback(0);
  socklen_t size = sizeof where;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&where), size) != 0
      || ::listen(listener_, 8) != 0
      || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&where), &size)
        != 0)
    throw std::runtime_error{"cut_proxy: no port"};
  port_ = ntohs(where.sin_port);
  worker_ = std::thread{[this] { serve(); }};
}

cut_proxy::~cut_proxy() {
  stopping_ = true;
  worker_.join();
  ::close(listener_);
}

void cut_proxy::serve() {
  while (!stopping_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, poll_ms) <= 0)
      continue;
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int at_once = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    ::setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    auto where = loopback(server_port_);
    if (::connect(server, reinterpret_cast<sockaddr*>(&where), sizeof where)
        == 0)
      relay(client, server);
    ::close(server);
    ::close(client);
  }
}

void cut_proxy::relay(int client, int server) {
  std::array<char, 65536> buffer;
  bool swallow_answer = false;
  while (!stopping_) {
    std::array<pollfd, 2> ends{pollfd{client, POLLIN, 0},
                               pollfd{server, POLLIN, 0}};
    if (::poll(ends.data(), ends.size(), poll_ms) <= 0)
      continue;
    for (const auto& end : ends) {
      if (end.revents == 0)
        continue;
      const auto got = ::recv(end.fd, buffer.data(), buffer.size(), 0);
      if (got <= 0)
        return;
      const std::string_view bytes{buffer.data(), static_cast<size_t>(got)};
      const bool from_client = end.fd == client;
      const bool is_commit
        = from_client && bytes.find(commit_message) != bytes.npos;
      const auto cut
        = is_commit ? cut_.exchange(commit_cut::nowhere) : commit_cut::nowhere;
      swallow_answer = swallow_answer || cut == commit_cut::after;
      if (cut == commit_cut::before || (swallow_answer && !from_client)) {
        ++cuts_;
        return;
      }
      if (!send_all(from_client ? server : client, bytes))
        return;
    }
  }
}

} // namespace weir::test
