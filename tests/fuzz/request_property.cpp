#include "http/auth.hpp"
#include "http/message_reader.hpp"
#include "http/router.hpp"
#include "tests/fuzz/properties.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <sys/socket.h>
#include <unistd.h>

namespace weir::test {

namespace {

namespace asio = boost::asio;
using asio::awaitable;

constexpr size_t header_bytes_max = 2'048;
constexpr uint64_t body_bytes_max = 4'096;
/// Fits the buffer of a socket, so that one thread can write and then read;
/// each piece takes some room of its own there.
constexpr size_t input_bytes_max = size_t{16} << 10;

std::string broken_response(const http_response& response) {
  const auto head = response_head(response, {});
  if (!head.starts_with("HTTP/1.1 ") || !head.ends_with("\r\n\r\n"))
    return "an answer that is none";
  return head.find("\r\n\r\n") + 4 == head.size() ? "" : "a split answer";
}

std::string broken_head(const request_head& head) {
  const auto found = classify(head.method, head.target);
  for (const auto* text : {&found.forward, &head.target})
    if (text->find_first_of("\r\n") != std::string::npos)
      return "a line's end in a path";
  if (found.kind == route_kind::proxied && !found.forward.starts_with('/'))
    return "passed on without a path";
  const auto stripped = strip_target(head.target);
  request_head without = head;
  without.target = stripped;
  without.fields.clear();
  if (read_credentials(without).query)
    return "a token stays in the target";
  const auto given = read_credentials(head);
  if (given.unusable && check_token(given, "token", true))
    return "credentials that are none are taken";
  return "";
}

/// Reads as the listener does, until something ends the connection.
awaitable<void> read_all(message_reader& reader, std::string& broken) {
  while (broken.empty()) {
    while (reader.skip_empty_line()) {
    }
    const auto failed = co_await reader.read_head();
    if (failed) {
      if (const auto answer = reader.problem_of(failed))
        broken = broken_response(*answer);
      co_return;
    }
    request_head head;
    request_framing framing;
    reader.copy_head(head, framing);
    auto refusal = head_problem(head, framing);
    if (!refusal)
      refusal = body_problem(head, body_bytes_max);
    if (refusal) {
      broken = broken_response(*refusal);
      co_return;
    }
    broken = broken_head(head);
    std::string body;
    const auto ended = head.chunked
      ? co_await reader.read_chunked(body_bytes_max, body)
      : co_await reader.read_sized(head.content_length, body);
    if (body.size() > body_bytes_max)
      broken = "a body beyond its bound";
    if (ended || !framing.keep_alive)
      co_return;
  }
}

} // namespace

std::string broken_request_property(std::string_view bytes) {
  if (bytes.empty())
    return "";
  // The first byte chooses in what pieces the rest arrives.
  const auto piece_bytes = size_t{1} + static_cast<unsigned char>(bytes[0]);
  bytes = bytes.substr(1, input_bytes_max);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return "no pair of sockets";
  std::string broken;
  asio::io_context io{1};
  // Only read from, which does not depend on the kind of the socket.
  wire from{asio::ip::tcp::socket{io, asio::ip::tcp::v4(), ends[0]}};
  message_reader reader{from, header_bytes_max};
  asio::co_spawn(io, read_all(reader, broken),
                 [&](const std::exception_ptr& thrown) {
                   if (thrown)
                     broken = "it throws";
                 });
  for (; !bytes.empty(); io.poll()) {
    const auto piece = bytes.substr(0, piece_bytes);
    bytes.remove_prefix(piece.size());
    if (::send(ends[1], piece.data(), piece.size(), MSG_NOSIGNAL)
        != static_cast<ssize_t>(piece.size()))
      broken = "not all was sent";
  }
  ::close(ends[1]);
  io.run();
  return broken;
}

} // namespace weir::test
