#include "http/client/connection.hpp"

#include "http/client/address_order.hpp"
#include "http/client/tls_trust.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace weir {

namespace net = boost::asio;
using boost::system::error_code;

namespace {

/// Literal addresses as targets; what is no address is left out.
std::vector<socket_target> tcp_targets(const std::vector<std::string>& from,
                                       uint16_t port) {
  std::vector<socket_target> targets;
  for (const auto& text : from) {
    error_code error;
    const auto address = net::ip::make_address(text, error);
    if (error)
      continue;
    const auto host = address.is_v6() ? "[" + text + "]" : text;
    targets.push_back({net::ip::tcp::endpoint{address, port},
                       host + ":" + std::to_string(port), true});
  }
  return targets;
}

} // namespace

open_slot::open_slot(std::shared_ptr<std::atomic<uint64_t>> open)
  : open_{std::move(open)} {
  open_->fetch_add(1);
}

open_slot::~open_slot() {
  if (open_)
    open_->fetch_sub(1);
}

open_slot::open_slot(open_slot&& other) noexcept
  : open_{std::move(other.open_)} {
}

open_slot& open_slot::operator=(open_slot&& other) noexcept {
  std::swap(open_, other.open_);
  return *this;
}

outbound_connection::outbound_connection(const io_strand& strand,
                                         open_slot slot)
  : strand_{strand},
    slot_{std::move(slot)},
    socket_{strand},
    timer_{strand} {
}

net::awaitable<trouble>
outbound_connection::open(const peer_endpoint& peer, const std::string& ca_file,
                          std::chrono::milliseconds deadline,
                          connection_means means) {
  std::vector<socket_target> targets;
  if (peer.kind == peer_endpoint::transport::unix_socket) {
    targets.push_back({net::local::stream_protocol::endpoint{peer.socket_path},
                       peer.socket_path, false});
  } else {
    std::vector<std::string> addresses{peer.host};
    if (tcp_targets(addresses, peer.port).empty()) {
      auto unknown = co_await look_up(peer.host, *means.names, addresses);
      if (unknown.why != no_answer::none)
        co_return unknown;
    }
    targets = tcp_targets(address_order(std::move(addresses)), peer.port);
  }
  stage_ = "connect " + peer.label();
  const auto share = address_share(deadline, targets.size());
  auto refused = co_await connect(std::move(targets), share);
  if (refused.why != no_answer::none
      || peer.kind != peer_endpoint::transport::tls)
    co_return refused;
  stage_ = "TLS handshake with " + peer.label();
  co_return co_await shake_hands(peer.host, ca_file, *means.trust);
}

net::awaitable<trouble>
outbound_connection::look_up(const std::string& host, name_lookup& names,
                             std::vector<std::string>& addresses) {
  stage_ = "name lookup of " + host;
  // The look-up may outlast this connection and even the io_context's work for
  // it: it holds neither, and `name_lookup::stop` comes before their end.
  names.find(host, [weak = weak_from_this()](const found_addresses& found) {
    auto self = weak.lock();
    if (!self)
      return;
    const auto strand = self->strand_;
    net::post(strand, [self = std::move(self), found] {
      self->found_ = found;
      self->timer_.cancel();
    });
  });
  timer_.expires_at(std::chrono::steady_clock::time_point::max());
  while (!found_ && !closed_) {
    error_code woken;
    co_await timer_.async_wait(net::redirect_error(net::use_awaitable, woken));
  }
  if (closed_)
    co_return trouble{no_answer::aborted, stage_};
  if (found_->addresses.empty())
    co_return trouble{no_answer::name, stage_ + ": " + found_->failure};
  addresses = std::move(found_->addresses);
  co_return trouble{};
}

net::awaitable<trouble>
outbound_connection::connect(std::vector<socket_target> targets,
                             std::chrono::milliseconds share) {
  race_ = std::make_shared<socket_race>(strand_, std::move(targets), share);
  co_await race_->run();
  auto winner = race_->take_winner();
  const auto failures = race_->failures();
  race_.reset();
  if (closed_)
    co_return trouble{no_answer::aborted, stage_};
  if (!winner)
    co_return trouble{no_answer::refused,
                      failures.empty() ? stage_ + ": no address" : failures};
  socket_ = std::move(*winner);
  co_return trouble{};
}

net::awaitable<trouble>
outbound_connection::shake_hands(const std::string& host,
                                 const std::string& ca_file, tls_trust& trust) {
  const auto session = trust.session(ca_file, host);
  if (!session)
    co_return trouble{no_answer::tls, session.error().context};
  tls_.emplace(socket_, session.value());
  error_code error;
  co_await tls_->async_handshake(
    net::ssl::stream_base::client,
    net::redirect_error(net::use_awaitable, error));
  if (error)
    co_return trouble{
      no_answer::tls,
      handshake_detail(tls_->native_handle(), host, error.message())};
  co_return trouble{};
}

void outbound_connection::write(std::string_view head, std::string_view body,
                                std::function<void(error_code)> done) {
  const std::array<net::const_buffer, 2> bytes{
    net::buffer(head.data(), head.size()),
    net::buffer(body.data(), body.size())};
  auto ended = [self = shared_from_this(), done = std::move(done)](
                 error_code error, size_t) { done(error); };
  if (tls_)
    net::async_write(*tls_, bytes, std::move(ended));
  else
    net::async_write(socket_, bytes, std::move(ended));
}

net::awaitable<outbound_connection::read_result>
outbound_connection::read_some(std::span<char> into) {
  read_result result;
  const auto buffer = net::buffer(into.data(), into.size());
  if (tls_)
    result.size = co_await tls_->async_read_some(
      buffer, net::redirect_error(net::use_awaitable, result.error));
  else
    result.size = co_await socket_.async_read_some(
      buffer, net::redirect_error(net::use_awaitable, result.error));
  co_return result;
}

void outbound_connection::watch(std::chrono::milliseconds idle_time,
                                std::function<void()> dead) {
  dead_ = std::move(dead);
  timer_.expires_after(idle_time);
  timer_.async_wait(
    [self = shared_from_this(), turn = ++watch_turn_](error_code error) {
      if (!error && turn == self->watch_turn_)
        self->die();
    });
  wait_for_sound();
}

void outbound_connection::wait_for_sound() {
  socket_.async_wait(
    stream_socket::wait_read,
    [self = shared_from_this(), turn = watch_turn_](error_code error) {
      if (error || turn != self->watch_turn_)
        return;
      // The reactor may report the bytes of the answer read before.
      if (self->silent())
        self->wait_for_sound();
      else
        self->die();
    });
}

void outbound_connection::die() {
  ++watch_turn_;
  if (const auto dead = std::exchange(dead_, nullptr))
    dead();
}

bool outbound_connection::wake() {
  ++watch_turn_;
  dead_ = nullptr;
  timer_.cancel();
  error_code ignored;
  socket_.cancel(ignored);
  return silent();
}

bool outbound_connection::silent() {
  if (closed_ || (tls_ && session_holds_bytes(tls_->native_handle())))
    return false;
  char byte = 0;
  const auto seen = ::recv(socket_.native_handle(), &byte, sizeof byte,
                           MSG_PEEK | MSG_DONTWAIT);
  return seen < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void outbound_connection::close() {
  closed_ = true;
  ++watch_turn_;
  dead_ = nullptr;
  timer_.cancel();
  if (race_)
    race_->close();
  error_code ignored;
  socket_.close(ignored);
  slot_ = {};
}

} // namespace weir
