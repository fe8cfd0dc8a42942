#include "tests/unit/http/client_peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace weir::test {

namespace {

union any_address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  sockaddr_un local;
};

/// Returns the length for bind and connect.
socklen_t fill_address(any_address& to, const peer_options& options) {
  to = {};
  if (options.address.starts_with('/')) {
    to.local.sun_family = AF_UNIX;
    std::strncpy(to.local.sun_path, options.address.c_str(),
                 sizeof to.local.sun_path - 1);
    return sizeof to.local;
  }
  if (::inet_pton(AF_INET, options.address.c_str(), &to.v4.sin_addr) == 1) {
    to.v4.sin_family = AF_INET;
    to.v4.sin_port = htons(options.port);
    return sizeof to.v4;
  }
  to.v6.sin6_family = AF_INET6;
  to.v6.sin6_port = htons(options.port);
  ::inet_pton(AF_INET6, options.address.c_str(), &to.v6.sin6_addr);
  return sizeof to.v6;
}

size_t content_length(const std::string& head) {
  const auto at = head.find("Content-Length: ");
  return at == head.npos ? 0
                         : std::strtoul(head.c_str() + at + 16, nullptr, 10);
}

} // namespace

peer_connection::peer_connection(int descriptor, SSL* session)
  : descriptor_{descriptor},
    session_{session} {
}

peer_connection::~peer_connection() {
  SSL_free(session_);
  close();
}

size_t peer_connection::read_some(char* into, size_t size) {
  const auto got = session_ ? SSL_read(session_, into, static_cast<int>(size))
                            : ::recv(descriptor_.load(), into, size, 0);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

std::string peer_connection::read_head() {
  std::array<char, 4096> buffer;
  size_t end = 0;
  while ((end = ahead_.find("\r\n\r\n")) == ahead_.npos) {
    const auto got = read_some(buffer.data(), buffer.size());
    if (got == 0)
      return std::exchange(ahead_, {});
    ahead_.append(buffer.data(), got);
  }
  auto head = ahead_.substr(0, end + 4);
  ahead_.erase(0, end + 4);
  return head;
}

std::string peer_connection::read_request() {
  auto request = read_head();
  auto missing = content_length(request);
  std::array<char, 65536> buffer;
  while (missing > ahead_.size()) {
    const auto got = read_some(buffer.data(), buffer.size());
    if (got == 0)
      return {};
    ahead_.append(buffer.data(), got);
  }
  request += ahead_.substr(0, missing);
  ahead_.erase(0, missing);
  return request;
}

void peer_connection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = session_
      ? SSL_write(session_, bytes.data(), static_cast<int>(bytes.size()))
      : ::send(descriptor_.load(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void peer_connection::wait_closed() {
  std::array<char, 65536> buffer;
  while (read_some(buffer.data(), buffer.size()) > 0) {
  }
}

void peer_connection::wait_shut() {
  pollfd hung_up{descriptor_.load(), 0, 0};
  while (::poll(&hung_up, 1, -1) < 0) {
  }
}

void peer_connection::half_close() {
  ::shutdown(descriptor_.load(), SHUT_WR);
}

void peer_connection::close() {
  if (const int descriptor = descriptor_.exchange(-1); descriptor >= 0)
    ::close(descriptor);
}

void peer_connection::reset() {
  const linger at_once{1, 0};
  ::setsockopt(descriptor_.load(), SOL_SOCKET, SO_LINGER, &at_once,
               sizeof at_once);
  close();
}

void peer_connection::shut() noexcept {
  ::shutdown(descriptor_.load(), SHUT_RDWR);
}

scripted_peer::scripted_peer(peer_script script, peer_options options)
  : script_{std::move(script)},
    options_{std::move(options)} {
  std::signal(SIGPIPE, SIG_IGN); // OpenSSL writes to sockets that closed.
  any_address address;
  const auto size = fill_address(address, options_);
  listener_ = ::socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.any.sa_family == AF_INET6)
    ::setsockopt(listener_, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(listener_, &address.any, size) != 0
      || ::listen(listener_, options_.deaf ? 0 : 512) != 0)
    throw std::runtime_error{"the scripted peer cannot listen"};
  socklen_t bound = sizeof address;
  ::getsockname(listener_, &address.any, &bound);
  if (address.any.sa_family == AF_INET)
    port_ = ntohs(address.v4.sin_port);
  else if (address.any.sa_family == AF_INET6)
    port_ = ntohs(address.v6.sin6_port);
  if (!options_.deaf) {
    acceptor_ = std::thread{[this] { accept_all(); }};
    return;
  }
  // A queue for none holds one; what comes after it is not answered.
  for (int i = 0; i < 4; ++i) {
    const int filler = ::socket(address.any.sa_family,
                                SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    static_cast<void>(::connect(filler, &address.any, size));
    fillers_.push_back(filler);
  }
}

scripted_peer::~scripted_peer() {
  stopping_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  if (acceptor_.joinable())
    acceptor_.join();
  ::close(listener_);
  {
    const std::scoped_lock hold{lock_};
    for (auto* one : open_)
      one->shut();
  }
  for (auto& thread : threads_)
    thread.join();
  for (const int filler : fillers_)
    ::close(filler);
}

void scripted_peer::accept_all() {
  while (!stopping_) {
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0)
      continue;
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto number = accepted_++;
    threads_.emplace_back(
      [this, descriptor, number] { serve(descriptor, number); });
  }
}

void scripted_peer::serve(int descriptor, size_t number) {
  SSL* session = nullptr;
  if (options_.tls) {
    session = SSL_new(options_.tls);
    SSL_set_fd(session, descriptor);
  }
  peer_connection one{descriptor, session};
  {
    const std::scoped_lock hold{lock_};
    open_.push_back(&one);
    if (stopping_)
      one.shut();
  }
  if (!session || SSL_accept(session) == 1)
    script_(one, number);
  const std::scoped_lock hold{lock_};
  open_.remove(&one);
}

std::string scripted_peer::url() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

std::string answer_text(int status, std::string_view body,
                        std::string_view fields) {
  return "HTTP/1.1 " + std::to_string(status) + " Words\r\n"
    + std::string{fields} + "Content-Length: " + std::to_string(body.size())
    + "\r\n\r\n" + std::string{body};
}

peer_script answer_all(std::string answer) {
  return [answer = std::move(answer)](peer_connection& client, size_t) {
    while (!client.read_request().empty())
      client.write(answer);
  };
}

} // namespace weir::test
