#include "http/wire.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <poll.h>

#include <utility>

namespace weir {

namespace {

namespace asio = boost::asio;
using asio::awaitable;

constexpr auto token = asio::as_tuple(asio::use_awaitable);

} // namespace

struct wire::tls_stream {
  tls_stream(asio::ip::tcp::socket& socket, SSL* session)
    : bytes{socket, session} {
  }
  asio::ssl::stream<asio::ip::tcp::socket&> bytes;
};

wire::wire(asio::ip::tcp::socket socket) : socket_{std::move(socket)} {
}

wire::~wire() = default;

awaitable<wire::error_code> wire::shake_hands(SSL* session) {
  tls_ = std::make_unique<tls_stream>(socket_, session);
  const auto [error] = co_await tls_->bytes.async_handshake(
    asio::ssl::stream_base::server, token);
  co_return error;
}

awaitable<wire::result> wire::read_some(asio::mutable_buffer into) {
  result done;
  if (tls_)
    std::tie(done.error, done.bytes)
      = co_await tls_->bytes.async_read_some(into, token);
  else
    std::tie(done.error, done.bytes)
      = co_await socket_.async_read_some(into, token);
  co_return done;
}

awaitable<wire::error_code>
wire::write(std::array<asio::const_buffer, 2> parts) {
  result done;
  if (tls_)
    std::tie(done.error, done.bytes)
      = co_await asio::async_write(tls_->bytes, parts, token);
  else
    std::tie(done.error, done.bytes)
      = co_await asio::async_write(socket_, parts, token);
  co_return done.error;
}

awaitable<void> wire::end_sending() {
  error_code ignored;
  if (tls_)
    co_await tls_->bytes.async_shutdown(token);
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
}

bool wire::has_more() noexcept {
  error_code ignored;
  if (tls_) {
    auto* const session = tls_->bytes.native_handle();
    if (SSL_has_pending(session) == 1 || BIO_pending(SSL_get_rbio(session)) > 0)
      return true;
  }
  return socket_.available(ignored) > 0;
}

bool wire::peer_ended() noexcept {
  pollfd look{socket_.native_handle(), POLLRDHUP, 0};
  return ::poll(&look, 1, 0) != 0;
}

} // namespace weir
