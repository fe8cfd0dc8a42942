#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <cstddef>
#include <memory>

// OpenSSL's own name, so that this header costs nothing to include.
using SSL = struct ssl_st;

namespace weir {

/// The bytes of one accepted connection, plain or within TLS. Owned by the
/// connection, used on its strand.
class wire {
public:
  using error_code = boost::system::error_code;
  template <class T>
  using awaitable = boost::asio::awaitable<T>;

  struct result {
    error_code error;
    size_t bytes = 0;
  };

  explicit wire(boost::asio::ip::tcp::socket socket);
  ~wire();

  /// What TLS knows nothing of: addresses, deadlines, the end.
  [[nodiscard]] boost::asio::ip::tcp::socket& socket() noexcept {
    return socket_;
  }

  /// From now on within TLS.
  /// @param session Is freed with the wire.
  awaitable<error_code> shake_hands(SSL* session);

  awaitable<result> read_some(boost::asio::mutable_buffer into);
  awaitable<error_code> write(std::array<boost::asio::const_buffer, 2> parts);
  /// Tells the peer that nothing more comes. Within TLS it waits for the same
  /// from there.
  awaitable<void> end_sending();

  /// Whether bytes have come that were not read yet.
  [[nodiscard]] bool has_more() noexcept;

  /// Whether the peer is gone. One that has ended its sending half counts as
  /// gone: the socket cannot tell that from one that is closed.
  [[nodiscard]] bool peer_ended() noexcept;

private:
  struct tls_stream;

  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<tls_stream> tls_;
};

} // namespace weir
