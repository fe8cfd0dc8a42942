#include "http/tcp_connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>

// How a connection answers: it waits for what the answer is, writes it, and
// ends without cutting it off.
namespace weir {

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using namespace std::chrono_literals;

constexpr auto token = asio::as_tuple(asio::use_awaitable);

/// After the last answer we read on for a while, since closing with bytes
/// unread resets the connection and may take the answer with it.
constexpr auto linger_time = 1s;
constexpr uint64_t linger_bytes_max = uint64_t{4} << 20;

} // namespace

awaitable<void> tcp_connection::await_reply() {
  census_.enter(connection_state::answering);
  while (!response_ && !stopped_) {
    wake_.expires_at(time_point::max());
    co_await wake_.async_wait(token);
  }
}

awaitable<bool> tcp_connection::send_reply(bool then_close) {
  co_await await_reply();
  if (stopped_)
    co_return false;
  auto response = std::move(*response_);
  response.close = response.close || then_close;
  co_return co_await send(std::move(response));
}

awaitable<bool> tcp_connection::refuse(http_response response) {
  if (response.status == 0)
    co_return false;
  ++shared_->refused;
  ++shared_->refusals_with(response.status);
  response.close = true;
  co_return co_await send(std::move(response));
}

awaitable<bool> tcp_connection::send(http_response response) {
  const bool to_head = head_.method == "HEAD";
  const bool then_close
    = response.close || !framing_.keep_alive || shared_->draining;
  const auto head
    = response_head(response, {to_head, framing_.http_1_0, then_close});
  const std::array<asio::const_buffer, 2> parts{asio::buffer(head),
                                                sends_body(response, to_head)
                                                  ? asio::buffer(response.body)
                                                  : asio::const_buffer{}};
  census_.enter(connection_state::writing);
  arm(shared_->options.body_time, at_deadline::close);
  const auto ec = co_await wire_.write(parts);
  disarm();
  lingers_ = !ec && then_close;
  co_return !ec && !then_close;
}

awaitable<void> tcp_connection::linger() {
  census_.enter(connection_state::closing);
  arm(linger_time, at_deadline::close);
  co_await wire_.end_sending();
  co_await reader_.drop(linger_bytes_max);
  disarm();
}

std::shared_ptr<connection>
make_connection(asio::ip::tcp::socket socket,
                std::shared_ptr<listener_state> shared) {
  return std::make_shared<tcp_connection>(std::move(socket), std::move(shared));
}

} // namespace weir
