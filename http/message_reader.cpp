#include "http/message_reader.hpp"

#include "http/matrix_reply.hpp"

#include <boost/asio/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>

namespace weir {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::awaitable;
using boost::system::error_code;

/// Beast sizes each read by the buffer's spare room; a fresh one has 512 bytes,
/// which makes a large body ten times slower.
constexpr size_t read_bytes = size_t{64} << 10;
/// A body grows by this much at a time, so that a slow client costs memory only
/// for what it sent.
constexpr size_t body_step_bytes = size_t{256} << 10;
/// What simdjson may read past the end of a text.
constexpr size_t body_padding_bytes = 64;

} // namespace

/// The wire, what was read and not used yet, and the parser of this request.
class message_reader::impl {
public:
  impl(wire& bytes, size_t head_bound)
    : from{bytes},
      header_bytes_max{head_bound},
      buffer{header_bytes_max + read_bytes} {
    buffer.reserve(read_bytes);
  }

  [[nodiscard]] const char* data() const noexcept {
    return static_cast<const char*>(buffer.data().data());
  }

  wire& from;
  const size_t header_bytes_max;
  /// Bounded, because Beast does not bound the head of a chunk or a trailer.
  boost::beast::flat_buffer buffer;
  std::optional<http::request_parser<http::string_body>> parser;
};

message_reader::message_reader(wire& from, size_t header_bytes_max)
  : impl_{std::make_unique<impl>(from, header_bytes_max)} {
}

message_reader::~message_reader() = default;

bool message_reader::has_bytes() const noexcept {
  return impl_->buffer.size() != 0;
}

bool message_reader::skip_empty_line() noexcept {
  const std::string_view bytes{impl_->data(), impl_->buffer.size()};
  if (!bytes.starts_with("\r\n"))
    return false;
  impl_->buffer.consume(2);
  return true;
}

awaitable<error_code> message_reader::read_more() {
  const auto [ec, bytes]
    = co_await impl_->from.read_some(impl_->buffer.prepare(read_bytes));
  impl_->buffer.commit(bytes);
  co_return ec;
}

/// Reads on. At the end of the connection the parser says what is missing.
awaitable<error_code> message_reader::feed() {
  auto& parser = *impl_->parser;
  // Beast bounds a head, but not the head of a chunk or a trailer.
  if (impl_->buffer.size() > impl_->header_bytes_max)
    co_return error_code{http::error::buffer_overflow};
  auto ec = co_await read_more();
  if (ec == asio::error::eof) {
    ec = http::error::end_of_stream;
    if (parser.got_some())
      parser.put_eof(ec);
  }
  co_return ec;
}

awaitable<error_code> message_reader::read_head() {
  auto& parser = impl_->parser.emplace();
  parser.header_limit(static_cast<std::uint32_t>(impl_->header_bytes_max));
  parser.body_limit(boost::none); // The handler says how much.
  // Beast holds each piece of a head to its limit; the sum is ours to bound.
  size_t used = 0;
  while (true) {
    error_code ec;
    const auto bytes = parser.put(impl_->buffer.data(), ec);
    impl_->buffer.consume(bytes);
    used += bytes;
    if (ec && ec != http::error::need_more)
      co_return ec;
    if (used > impl_->header_bytes_max)
      co_return error_code{http::error::header_limit};
    if (parser.is_header_done())
      co_return error_code{};
    if (ec || bytes == 0) {
      ec = co_await feed();
      if (ec)
        co_return ec;
    }
  }
}

void message_reader::copy_head(request_head& head,
                               request_framing& framing) const {
  const auto& message = impl_->parser->get();
  head.method = message.method_string();
  head.target = message.target();
  for (const auto& field : message)
    head.fields.push_back(
      {std::string{field.name_string()}, std::string{field.value()}});
  head.chunked = impl_->parser->chunked();
  head.content_length = impl_->parser->content_length().value_or(0);
  framing.http_1_0 = message.version() == 10;
  framing.keep_alive = impl_->parser->keep_alive();
}

awaitable<error_code> message_reader::read_sized(uint64_t bytes_wanted,
                                                 std::string& body) {
  const auto size = static_cast<size_t>(bytes_wanted);
  body.reserve(size + body_padding_bytes);
  size_t got = std::min(impl_->buffer.size(), size);
  body.assign(impl_->data(), got);
  impl_->buffer.consume(got);
  while (got < size) {
    if (body.size() == got)
      body.resize(std::min(got + body_step_bytes, size));
    const auto [ec, bytes] = co_await impl_->from.read_some(
      asio::buffer(body.data() + got, body.size() - got));
    if (ec)
      co_return ec;
    got += bytes;
  }
  co_return error_code{};
}

awaitable<error_code> message_reader::read_chunked(uint64_t bytes_max,
                                                   std::string& body) {
  auto& parser = *impl_->parser;
  parser.body_limit(bytes_max);
  parser.eager(true);
  error_code ec;
  while (!parser.is_done()) {
    const auto bytes = parser.put(impl_->buffer.data(), ec);
    impl_->buffer.consume(bytes);
    if (ec == http::error::need_more || (!ec && bytes == 0))
      ec = co_await feed();
    if (ec)
      break;
  }
  body = std::move(parser.get().body());
  body.reserve(body.size() + body_padding_bytes);
  co_return ec;
}

awaitable<error_code> message_reader::drop(uint64_t size) {
  for (uint64_t left = size;;) {
    const auto dropped = std::min<uint64_t>(left, impl_->buffer.size());
    impl_->buffer.consume(static_cast<size_t>(dropped));
    left -= dropped;
    if (left == 0)
      co_return error_code{};
    const auto ec = co_await read_more();
    if (ec)
      co_return ec;
  }
}

std::optional<http_response>
message_reader::problem_of(const error_code& why) const {
  if (why.category() != http::make_error_code(http::error{}).category()
      || why == http::error::end_of_stream
      || why == http::error::partial_message)
    return std::nullopt;
  if (why == http::error::body_limit)
    return matrix_error(413, "M_TOO_LARGE", "body too large");
  if (why != http::error::header_limit)
    return matrix_error(400, "M_UNKNOWN", "not HTTP/1.1: " + why.message());
  return impl_->parser->get().target().empty()
    ? matrix_error(414, "M_UNKNOWN", "target too long")
    : matrix_error(431, "M_UNKNOWN", "header fields too large");
}

} // namespace weir
