#include "http/client/socket_race.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace weir {

namespace net = boost::asio;
using boost::system::error_code;

socket_race::socket_race(const io_strand& strand,
                         std::vector<socket_target> targets,
                         std::chrono::milliseconds share)
  : targets_{std::move(targets)},
    strand_{strand},
    wake_{strand},
    share_{share} {
  sockets_.reserve(targets_.size()); // Sockets with work under way stay put.
}

net::awaitable<void> socket_race::run() {
  const auto self = shared_from_this();
  while (!closed_ && !winner_ && failed_ < targets_.size()) {
    if (sockets_.size() == failed_) {
      start_next(); // Nothing is under way.
      continue;
    }
    const bool more = sockets_.size() < targets_.size();
    if (more)
      wake_.expires_after(share_);
    else
      wake_.expires_at(std::chrono::steady_clock::time_point::max());
    error_code woken;
    co_await wake_.async_wait(net::redirect_error(net::use_awaitable, woken));
    if (!woken && more && !closed_ && !winner_)
      start_next();
  }
  for (size_t i = 0; i < sockets_.size(); ++i) {
    error_code ignored;
    if (winner_ != i)
      sockets_[i].close(ignored);
  }
}

void socket_race::start_next() {
  const auto index = sockets_.size();
  auto& socket = sockets_.emplace_back(strand_);
  const auto& target = targets_[index];
  error_code error;
  socket.open(target.endpoint.protocol(), error);
  if (error)
    return failed(index, error);
  socket.async_connect(target.endpoint,
                       [self = shared_from_this(), index](error_code result) {
                         self->ended(index, result);
                       });
}

void socket_race::ended(size_t index, const error_code& error) {
  if (closed_ || winner_)
    return;
  if (error) {
    failed(index, error);
  } else {
    winner_ = index;
    error_code ignored;
    if (targets_[index].tcp)
      sockets_[index].set_option(net::ip::tcp::no_delay(true), ignored);
  }
  wake_.cancel();
}

void socket_race::failed(size_t index, const error_code& error) {
  ++failed_;
  if (!failures_.empty())
    failures_ += ", ";
  failures_ += "connect " + targets_[index].label + ": " + error.message();
}

void socket_race::close() {
  closed_ = true;
  wake_.cancel();
  for (auto& socket : sockets_) {
    error_code ignored;
    socket.close(ignored);
  }
}

std::optional<stream_socket> socket_race::take_winner() {
  if (!winner_ || closed_)
    return std::nullopt;
  return std::move(sockets_[*winner_]);
}

const std::string& socket_race::failures() const noexcept {
  return failures_;
}

} // namespace weir
