#pragma once

#include "http/framing.hpp"
#include "http/wire.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace weir {

/// Reads the requests of one connection, one after the other, from its wire.
/// Each operation says why it stopped short; the caller bounds its time by
/// ending the socket's receiving side. Owned by the connection, used on its
/// strand. Beast stays behind this.
class message_reader {
public:
  using error_code = boost::system::error_code;
  template <class T>
  using awaitable = boost::asio::awaitable<T>;

  /// A head, a chunk's head or a trailer of more than `header_bytes_max` bytes
  /// is refused.
  message_reader(wire& from, size_t header_bytes_max);
  ~message_reader();

  /// Whether bytes of a next request are here.
  [[nodiscard]] bool has_bytes() const noexcept;
  /// Eats an empty line in front of a request line, if one stands there.
  bool skip_empty_line() noexcept;
  /// Waits for more bytes.
  awaitable<error_code> read_more();

  /// Reads up to the empty line.
  awaitable<error_code> read_head();
  /// What `read_head` read.
  void copy_head(request_head& head, request_framing& framing) const;

  /// Reads a body of `bytes_wanted`, straight from the wire into `body`, with
  /// 64 bytes to spare in its capacity.
  awaitable<error_code> read_sized(uint64_t bytes_wanted, std::string& body);
  /// Reads a chunked body of at most `bytes_max`; its trailer is dropped.
  awaitable<error_code> read_chunked(uint64_t bytes_max, std::string& body);
  /// Reads and drops `size` bytes.
  awaitable<error_code> drop(uint64_t size);

  /// What to answer when reading stopped short, or nothing when the connection
  /// is what ended.
  [[nodiscard]] std::optional<http_response>
  problem_of(const error_code& why) const;

private:
  awaitable<error_code> feed();

  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace weir
