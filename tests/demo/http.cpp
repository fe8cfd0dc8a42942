#include "tests/demo/http.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace demo {

namespace {

/// A socket bound to loopback; port 0 lets the system choose.
int bound_socket() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0
      || ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address))
        != 0)
    std::abort();
  return fd;
}

uint16_t port_of(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    std::abort();
  return ntohs(address.sin_port);
}

bool send_all(int fd, const std::string& bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const auto n
      = ::send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0)
      return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

bool read_more(int fd, std::string& buffer) {
  std::array<char, 65536> chunk;
  const auto n = ::recv(fd, chunk.data(), chunk.size(), 0);
  if (n <= 0)
    return false;
  buffer.append(chunk.data(), static_cast<size_t>(n));
  return true;
}

size_t content_length(std::string head) {
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const auto at = head.find("\r\ncontent-length:");
  return at == std::string::npos
    ? 0
    : std::strtoul(head.c_str() + at + 17, nullptr, 10);
}

/// Takes one message off `buffer`, reading as needed: head and body.
std::optional<std::pair<std::string, std::string>>
next_message(int fd, std::string& buffer) {
  auto end = buffer.find("\r\n\r\n");
  while (end == std::string::npos) {
    if (!read_more(fd, buffer))
      return std::nullopt;
    end = buffer.find("\r\n\r\n");
  }
  auto head = buffer.substr(0, end + 2);
  const auto length = content_length(head);
  while (buffer.size() < end + 4 + length) {
    if (!read_more(fd, buffer))
      return std::nullopt;
  }
  auto body = buffer.substr(end + 4, length);
  buffer.erase(0, end + 4 + length);
  return std::pair{std::move(head), std::move(body)};
}

} // namespace

http_peer::http_peer(handler on_request)
  : on_request_{std::move(on_request)},
    listener_{bound_socket()},
    port_{port_of(listener_)} {
  if (::listen(listener_, SOMAXCONN) != 0)
    std::abort();
  acceptor_ = std::thread{[this] { accept_all(); }};
}

http_peer::~http_peer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    const std::lock_guard lock{mutex_};
    for (const int fd : connections_)
      ::shutdown(fd, SHUT_RDWR);
  }
  for (auto& thread : threads_)
    thread.join();
  for (const int fd : connections_)
    ::close(fd);
}

void http_peer::accept_all() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      return;
    const std::lock_guard lock{mutex_};
    connections_.push_back(fd);
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void http_peer::serve(int connection) {
  std::string buffer;
  while (auto message = next_message(connection, buffer)) {
    const auto& head = message->first;
    const auto first = head.find(' ');
    const auto second = head.find(' ', first + 1);
    const auto out = on_request_({head.substr(0, first),
                                  head.substr(first + 1, second - first - 1),
                                  std::move(message->second)});
    if (!send_all(connection,
                  "HTTP/1.1 " + std::to_string(out.status)
                    + " Answer\r\nContent-Type: application/json"
                      "\r\nContent-Length: "
                    + std::to_string(out.body.size()) + "\r\n\r\n" + out.body))
      break;
  }
  ::shutdown(connection, SHUT_RDWR);
}

std::optional<int> ask(uint16_t port, const std::string& method,
                       const std::string& target, const std::string& token,
                       const std::string& body, int seconds) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{seconds, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::optional<int> status;
  std::string buffer;
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0
      && send_all(
        fd,
        method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
          + (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n")
          + "Content-Type: application/json\r\nContent-Length: "
          + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n"
          + body)) {
    if (const auto message = next_message(fd, buffer))
      status = static_cast<int>(std::strtol(
        message->first.c_str() + message->first.find(' '), nullptr, 10));
  }
  ::close(fd);
  return status;
}

uint16_t free_port() {
  const int fd = bound_socket();
  const auto port = port_of(fd);
  ::close(fd);
  return port;
}

} // namespace demo
