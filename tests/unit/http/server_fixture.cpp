#include "tests/unit/http/server_fixture.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <thread>
#include <vector>

namespace weir::test {

using namespace std::chrono_literals;

namespace {

constexpr auto patience = 20s;

} // namespace

bool wait_until(const std::function<bool()>& ready) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!ready()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::yield();
  }
  return true;
}

// -- the client ---------------------------------------------------------------

wire_client::wire_client(uint16_t port, bool ipv6)
  : socket_{
    ::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
  const timeval wait{20, 0};
  const int one = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  v6.sin6_addr = in6addr_loopback;
  const auto* to = ipv6 ? reinterpret_cast<const sockaddr*>(&v6)
                        : reinterpret_cast<const sockaddr*>(&v4);
  const auto size = static_cast<socklen_t>(ipv6 ? sizeof v6 : sizeof v4);
  if (::connect(socket_, to, size) != 0)
    close();
}

wire_client::~wire_client() {
  close();
}

void wire_client::close() {
  if (socket_ >= 0)
    ::close(std::exchange(socket_, -1));
}

void wire_client::end_sending() {
  ::shutdown(socket_, SHUT_WR);
}

void wire_client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

bool wire_client::more() {
  char bytes[4096];
  const auto got = ::recv(socket_, bytes, sizeof bytes, 0);
  if (got <= 0)
    return false;
  got_.append(bytes, static_cast<size_t>(got));
  return true;
}

std::string wire_client::read(size_t size) {
  while (got_.size() < size && more()) {
  }
  auto part = got_.substr(0, size);
  got_.erase(0, part.size());
  return part;
}

std::string wire_client::answer(bool with_body) {
  while (got_.find("\r\n\r\n") == std::string::npos)
    if (!more())
      return std::exchange(got_, {});
  const auto head = got_.substr(0, got_.find("\r\n\r\n") + 4);
  const auto length = field_of(head, "Content-Length");
  size_t size = 0;
  if (with_body)
    std::from_chars(length.data(), length.data() + length.size(), size);
  return read(head.size() + size);
}

bool wire_client::ended() {
  if (socket_ < 0)
    return true;
  char byte = 0;
  if (!got_.empty())
    return false;
  const auto got = ::recv(socket_, &byte, 1, 0);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

bool wire_client::silent() {
  pollfd look{socket_, POLLIN, 0};
  return got_.empty() && ::poll(&look, 1, 0) == 0;
}

// -- the server ---------------------------------------------------------------

void taken_queue::push(taken_request request) {
  const std::lock_guard lock{mutex_};
  queue_.push_back(std::move(request));
  changed_.notify_one();
}

taken_request taken_queue::next() {
  std::unique_lock lock{mutex_};
  REQUIRE(
    changed_.wait_for(lock, patience, [this] { return !queue_.empty(); }));
  auto first = std::move(queue_.front());
  queue_.pop_front();
  return first;
}

size_t taken_queue::size() const {
  const std::lock_guard lock{mutex_};
  return queue_.size();
}

class listening::impl {
public:
  impl(head_handler handler, server_options options, int count)
    : server{io, std::move(options), std::move(handler)} {
    const auto started = server.start();
    REQUIRE_MESSAGE(started.has_value(),
                    (started ? "" : to_string(started.error())));
    for (int i = 0; i < count; ++i)
      threads.emplace_back([this] { io.run(); });
  }

  ~impl() {
    server.stop();
    work.reset();
    for (auto& thread : threads)
      thread.join();
  }

  boost::asio::io_context io;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
    io.get_executor()};
  http_server server;
  std::vector<std::thread> threads;
};

server_options quick_options() {
  server_options options;
  options.address = "127.0.0.1:0";
  options.budget_bytes = 4 << 20;
  options.header_bytes_max = 32 << 10;
  return options;
}

listening::listening(head_handler handler, server_options options, int threads)
  : impl_{
    std::make_unique<impl>(std::move(handler), std::move(options), threads)} {
}

listening::~listening() = default;

uint16_t listening::port() const {
  return impl_->server.port();
}

http_server& listening::server() {
  return impl_->server;
}

http_server::figures listening::figures() const {
  return impl_->server.figures_now();
}

// -- what handlers do ---------------------------------------------------------

body_wish echo(const request_head& head) {
  body_wish wish;
  wish.body_bytes_max = 1 << 20;
  wish.take = [line = head.method + ' ' + head.target](std::string body,
                                                       const reply& answer) {
    answer({200, {{"Content-Type", "text/plain"}}, line + ' ' + body});
  };
  return wish;
}

head_handler taking(taken_queue& queue, uint64_t body_bytes_max,
                    std::chrono::milliseconds hold) {
  return [&queue, body_bytes_max, hold](const request_head& head) {
    body_wish wish;
    wish.body_bytes_max = body_bytes_max;
    wish.hold = hold;
    wish.take = [&queue, head](std::string body, reply answer) {
      queue.push({head, std::move(body), std::move(answer)});
    };
    return wish;
  };
}

// -- texts --------------------------------------------------------------------

std::string put(std::string_view body, std::string_view more_fields) {
  std::string text{"PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: "};
  text.append(std::to_string(body.size())).append("\r\n");
  return text.append(more_fields).append("\r\n").append(body);
}

int status_of(std::string_view answer) {
  int status = 0;
  if (answer.starts_with("HTTP/1.1 "))
    std::from_chars(answer.data() + 9, answer.data() + answer.size(), status);
  return status;
}

std::string body_of(std::string_view answer) {
  const auto end = answer.find("\r\n\r\n");
  return end == std::string_view::npos ? std::string{}
                                       : std::string{answer.substr(end + 4)};
}

std::string field_of(std::string_view answer, std::string_view name) {
  const auto line = answer.find("\r\n" + std::string{name} + ": ");
  if (line == std::string_view::npos)
    return "none";
  const auto start = line + name.size() + 4;
  return std::string{answer.substr(start, answer.find("\r\n", start) - start)};
}

} // namespace weir::test
