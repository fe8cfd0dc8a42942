#include "http/server.hpp"

#include "http/connection.hpp"
#include "schema/log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <charconv>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace weir {

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr logger log{"listener"};
constexpr auto token = asio::as_tuple(asio::use_awaitable);

/// Long enough for a file descriptor to come free, short enough for a client.
constexpr std::chrono::milliseconds accept_pause{100};
/// A pause that the end of a connection cuts short.
constexpr std::chrono::milliseconds until_one_ends{std::chrono::hours{1}};
/// How often a listener at its bound looks whether somebody can give way.
constexpr std::chrono::milliseconds look_again{100};
/// So long before the end of a drain those who still wait are told so.
constexpr std::chrono::milliseconds last_answer_time{500};
/// No more than the system holds are taken out of the backlog in a drain, so
/// that a flood of new ones does not keep the listener open.
constexpr int backlog_max = asio::socket_base::max_listen_connections;

struct host_and_port {
  std::string host;
  std::string port;
};

/// `host:port` or `[v6]:port`.
std::optional<host_and_port> split_address(const std::string& address) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return std::nullopt;
  host_and_port parts{address.substr(0, colon), address.substr(colon + 1)};
  uint16_t port = 0;
  const auto* const end = parts.port.data() + parts.port.size();
  const auto read = std::from_chars(parts.port.data(), end, port);
  if (read.ec != std::errc{} || read.ptr != end)
    return std::nullopt;
  if (parts.host.starts_with('[') && parts.host.ends_with(']'))
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  else if (parts.host.find(':') != std::string::npos)
    return std::nullopt;
  return parts;
}

} // namespace

/// The acceptor and the list of its connections.
class http_server::impl : public std::enable_shared_from_this<impl> {
public:
  impl(asio::io_context& io, server_options options, head_handler handler)
    : io_{io},
      strand_{asio::make_strand(io)},
      acceptor_{strand_},
      pause_{strand_},
      shared_{std::make_shared<listener_state>(std::move(options),
                                               std::move(handler))} {
  }

  expected<void> start() {
    if (shared_->identity) {
      WEIR_TRY(shared_->identity->load());
    }
    const auto& address = shared_->options.address;
    const auto parts = split_address(address);
    if (!parts)
      return fail(ec::invalid_argument, "not host:port: " + address);
    error_code ec;
    tcp::resolver resolver{io_};
    const auto found = resolver.resolve(
      parts->host, parts->port,
      tcp::resolver::passive | tcp::resolver::numeric_service, ec);
    if (ec || found.empty())
      return fail(ec::invalid_argument, "no such address: " + address);
    WEIR_TRY(listen_on(found.begin()->endpoint()));
    accepting_ = true;
    asio::co_spawn(
      strand_, [self = shared_from_this()] { return self->accept_all(); },
      asio::detached);
    return ok();
  }

  [[nodiscard]] uint16_t port() const noexcept {
    return port_;
  }

  void drain(std::chrono::milliseconds patience) {
    shared_->waits_end
      = std::chrono::steady_clock::now() + patience - last_answer_time;
    shared_->draining = true;
    asio::dispatch(strand_, [self = shared_from_this()] {
      error_code ignored;
      self->acceptor_.cancel(ignored);
      self->pause_.cancel();
    });
    for (const auto& each : open_ones())
      each->drain();
  }

  [[nodiscard]] bool drained() const {
    return shared_->draining && !accepting_ && count() == 0;
  }

  void stop() {
    shared_->draining = true;
    close_acceptor();
    for (const auto& each : open_ones())
      each->stop();
  }

  [[nodiscard]] figures figures_now() const {
    const auto shown = shared_->identity ? shared_->identity->figures_now()
                                         : tls_identity::figures{};
    const std::lock_guard lock{mutex_};
    return {open_.size(),
            shared_->held,
            shared_->budget.used(),
            shared_->requests,
            shared_->refused,
            shared_->displaced,
            {shared_->malformed, shared_->too_large, shared_->too_slow,
             shared_->busy},
            shared_->states.now(),
            shown.refused,
            shown.expires_s};
  }

private:
  expected<void> listen_on(const tcp::endpoint& endpoint) {
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error)
      acceptor_.set_option(tcp::acceptor::reuse_address{true}, error);
    if (!error)
      acceptor_.bind(endpoint, error);
    if (!error)
      acceptor_.listen(backlog_max, error);
    if (!error)
      port_ = acceptor_.local_endpoint(error).port();
    if (!error)
      return ok();
    const auto kind
      = error == asio::error::address_in_use ? ec::busy : ec::invalid_argument;
    error_code ignored;
    acceptor_.close(ignored);
    return fail(kind, shared_->options.address + ": " + error.message());
  }

  /// At the bound a connection without a request gives way to a new one. When
  /// all have one nothing is accepted: a homeserver that waits in the backlog
  /// loses less than one that is refused (spec R2).
  awaitable<void> accept_all() {
    while (!shared_->draining) {
      if (is_full()) {
        co_await make_room();
        continue;
      }
      tcp::socket socket{asio::make_strand(io_)};
      const auto [ec] = co_await acceptor_.async_accept(socket, token);
      if (!ec) {
        adopt(std::move(socket));
      } else if (!shared_->draining) {
        log.warn("accept failed why={}", ec.message());
        co_await pause_for(accept_pause);
      }
    }
    co_await accept_backlog();
    close_acceptor();
  }

  /// A drain cuts off nobody who has connected: those in the backlog are taken
  /// in and served before the listener closes.
  awaitable<void> accept_backlog() {
    error_code ec;
    acceptor_.non_blocking(true, ec);
    for (int taken = 0; taken < backlog_max && acceptor_.is_open();) {
      if (is_full()) {
        co_await pause_for(until_one_ends);
        continue;
      }
      tcp::socket socket{asio::make_strand(io_)};
      acceptor_.accept(socket, ec);
      if (ec == asio::error::would_block)
        co_return;
      ++taken;
      if (!ec) {
        adopt(std::move(socket));
      } else {
        log.warn("accept failed why={}", ec.message());
        co_await pause_for(accept_pause);
      }
    }
  }

  /// Waits for somebody who has come, and then for the end of a connection.
  awaitable<void> make_room() {
    const auto [ec]
      = co_await acceptor_.async_wait(tcp::acceptor::wait_read, token);
    if (ec || shared_->draining || !is_full())
      co_return;
    const auto idle = longest_waiting();
    if (idle) {
      ++shared_->displaced;
      log.warn("connection gave way to a new one connections_max={} "
               "action=look who holds so many, or raise "
               "listener.connections_max",
               shared_->options.connections_max);
      idle->stop();
    }
    co_await pause_for(look_again);
  }

  [[nodiscard]] std::shared_ptr<connection> longest_waiting() const {
    const auto all = open_ones();
    std::vector<std::optional<standing>> standings;
    standings.reserve(all.size());
    for (const auto& each : all)
      standings.push_back(each->stands());
    const auto chosen = displaced(standings);
    return chosen ? all[*chosen] : nullptr;
  }

  awaitable<void> pause_for(std::chrono::milliseconds time) {
    pause_.expires_after(time);
    co_await pause_.async_wait(token);
  }

  void adopt(tcp::socket socket) {
    auto made = make_connection(std::move(socket), shared_);
    uint64_t id = 0;
    {
      const std::lock_guard lock{mutex_};
      id = ++last_id_;
      open_.emplace(id, made);
    }
    made->start([self = shared_from_this(), id] { self->ended(id); });
    if (!acceptor_.is_open())
      made->stop(); // Came while we stopped.
  }

  void ended(uint64_t id) {
    {
      const std::lock_guard lock{mutex_};
      open_.erase(id);
    }
    asio::dispatch(strand_,
                   [self = shared_from_this()] { self->pause_.cancel(); });
  }

  void close_acceptor() {
    asio::dispatch(strand_, [self = shared_from_this()] {
      error_code ignored;
      self->acceptor_.close(ignored);
      self->accepting_ = false;
      self->pause_.cancel();
    });
  }

  [[nodiscard]] bool is_full() const {
    return count() >= shared_->options.connections_max;
  }

  [[nodiscard]] size_t count() const {
    const std::lock_guard lock{mutex_};
    return open_.size();
  }

  [[nodiscard]] std::vector<std::shared_ptr<connection>> open_ones() const {
    const std::lock_guard lock{mutex_};
    std::vector<std::shared_ptr<connection>> all;
    for (const auto& [id, each] : open_)
      if (auto alive = each.lock())
        all.push_back(std::move(alive));
    return all;
  }

  asio::io_context& io_;
  asio::strand<asio::io_context::executor_type> strand_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::shared_ptr<listener_state> shared_;
  std::atomic<uint16_t> port_{0};
  std::atomic<bool> accepting_{false};
  mutable std::mutex mutex_;
  uint64_t last_id_ = 0;
  std::unordered_map<uint64_t, std::weak_ptr<connection>> open_;
};

http_server::http_server(asio::io_context& io, server_options options,
                         head_handler handler)
  : impl_{std::make_shared<impl>(io, std::move(options), std::move(handler))} {
}

http_server::~http_server() {
  impl_->stop();
}

expected<void> http_server::start() {
  return impl_->start();
}

uint16_t http_server::port() const noexcept {
  return impl_->port();
}

void http_server::drain(std::chrono::milliseconds patience) {
  impl_->drain(patience);
}

bool http_server::drained() const {
  return impl_->drained();
}

void http_server::stop() {
  impl_->stop();
}

http_server::figures http_server::figures_now() const {
  return impl_->figures_now();
}

} // namespace weir
