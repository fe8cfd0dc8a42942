#include "tests/bench/wire.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace bench {

namespace {

/// More than one transaction of a bench, so that it arrives in few reads.
constexpr size_t read_room = size_t{256} << 10;
constexpr int backlog = 64;

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void send_at_once(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// The value of Content-Length, 0 without the field.
size_t content_length(std::string_view head) {
  constexpr std::string_view name = "\r\ncontent-length:";
  const auto same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
  };
  const auto found
    = std::search(head.begin(), head.end(), name.begin(), name.end(), same);
  if (found == head.end())
    return 0;
  auto value
    = head.substr(static_cast<size_t>(found - head.begin()) + name.size());
  while (value.starts_with(' '))
    value.remove_prefix(1);
  size_t length = 0;
  std::from_chars(value.data(), value.data() + value.size(), length);
  return length;
}

} // namespace

void give_up(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}

descriptor::descriptor(descriptor&& other) noexcept
  : number_{std::exchange(other.number_, -1)} {
}

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

descriptor::~descriptor() {
  if (number_ >= 0)
    ::close(number_);
}

listener listen_on_loopback(uint16_t port) {
  listener made{descriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}};
  const int on = 1;
  ::setsockopt(made.socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  auto address = loopback(port);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(made.socket.get(), generic, length) != 0
      || ::listen(made.socket.get(), backlog) != 0
      || ::getsockname(made.socket.get(), generic, &length) != 0)
    give_up("no loopback port to listen on");
  made.port = ntohs(address.sin_port);
  return made;
}

uint16_t free_port() {
  return listen_on_loopback().port;
}

descriptor accept_from(const listener& from) {
  descriptor accepted{
    ::accept4(from.socket.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  send_at_once(accepted.get());
  return accepted;
}

descriptor connect_to(uint16_t port) {
  descriptor made{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const auto address = loopback(port);
  if (::connect(made.get(), reinterpret_cast<const sockaddr*>(&address),
                sizeof address)
      != 0)
    return descriptor{};
  send_at_once(made.get());
  return made;
}

wire::wire(descriptor socket) : socket_{std::move(socket)}, buffer_(read_room) {
}

bool wire::fill() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (end_ == buffer_.size())
    buffer_.resize(buffer_.size() * 2);
  ssize_t got = 0;
  do
    got
      = ::recv(socket_.get(), buffer_.data() + end_, buffer_.size() - end_, 0);
  while (got < 0 && errno == EINTR);
  if (got <= 0)
    return false;
  end_ += static_cast<size_t>(got);
  return true;
}

std::optional<message> wire::take() {
  const std::string_view read{buffer_.data() + begin_, end_ - begin_};
  const auto head_end = read.find("\r\n\r\n");
  if (head_end == std::string_view::npos)
    return {};
  const auto head = read.substr(0, head_end + 2);
  const auto body_begin = head_end + 4;
  const auto length = content_length(head);
  if (read.size() - body_begin < length)
    return {};
  begin_ += body_begin + length;
  return message{head.substr(0, head.find("\r\n")), head,
                 read.substr(body_begin, length)};
}

std::optional<message> wire::wait() {
  while (true) {
    if (auto whole = take())
      return whole;
    if (!fill())
      return {};
  }
}

bool wire::send(std::string_view head, std::string_view body) {
  while (!head.empty() || !body.empty()) {
    iovec parts[] = {{const_cast<char*>(head.data()), head.size()},
                     {const_cast<char*>(body.data()), body.size()}};
    msghdr both{};
    both.msg_iov = parts;
    both.msg_iovlen = std::size(parts);
    const auto sent = ::sendmsg(socket_.get(), &both, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    const auto of_head = std::min(static_cast<size_t>(sent), head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(static_cast<size_t>(sent) - of_head);
  }
  return true;
}

int status_of(const message& answer) {
  const auto space = answer.first_line.find(' ');
  if (space == std::string_view::npos)
    return 0;
  int status = 0;
  std::from_chars(answer.first_line.data() + space + 1,
                  answer.first_line.data() + answer.first_line.size(), status);
  return status;
}

std::string put_head(std::string_view target, std::string_view token,
                     size_t body_bytes) {
  std::string head{"PUT "};
  head.append(target).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  head.append("Authorization: Bearer ").append(token);
  head.append("\r\nContent-Type: application/json\r\nContent-Length: ");
  head.append(std::to_string(body_bytes)).append("\r\n\r\n");
  return head;
}

} // namespace bench
