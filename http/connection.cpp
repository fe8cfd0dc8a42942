#include "http/connection.hpp"

#include "http/matrix_reply.hpp"
#include "http/tcp_connection.hpp"
#include "schema/log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>

namespace weir {

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using boost::system::error_code;
using steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr logger log{"listener"};
constexpr auto token = asio::as_tuple(asio::use_awaitable);

/// An unwanted body up to this size is read and dropped to keep the connection.
constexpr uint64_t dropped_body_bytes_max = uint64_t{64} << 10;
/// How often a held request looks whether its client is still there. Its body
/// is unread, so the socket is readable all along and cannot tell.
constexpr auto held_look_time = 250ms;
/// About as long as it takes until some bodies have been answered.
constexpr auto held_retry_after = 10s;
/// Empty lines in front of a request line, which old clients send.
constexpr int empty_lines_max = 2;
/// In a drain, how long a connection that never asked is waited for: who has
/// just connected is about to send.
constexpr auto first_request_time = 250ms;

constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

/// Nobody is there to be told.
http_response silence() {
  http_response response;
  response.status = 0;
  return response;
}

} // namespace

// -- from any thread ----------------------------------------------------------

tcp_connection::tcp_connection(asio::ip::tcp::socket socket,
                               std::shared_ptr<listener_state> shared)
  : shared_{std::move(shared)},
    wire_{std::move(socket)},
    deadline_{wire_.socket().get_executor()},
    wake_{wire_.socket().get_executor()},
    reader_{wire_, shared_->options.header_bytes_max} {
}

void tcp_connection::start(std::function<void()> ended) {
  auto finish = [self = shared_from_this(),
                 ended = std::move(ended)](const std::exception_ptr& failure) {
    try {
      if (failure)
        std::rethrow_exception(failure);
    } catch (const std::exception& what) {
      log.error("connection ended by an exception what={}", what.what());
    }
    self->close();
    self->census_.leave();
    ended();
  };
  asio::co_spawn(
    wire_.socket().get_executor(),
    [self = shared_from_this()] { return self->serve(); }, std::move(finish));
}

void tcp_connection::drain() {
  on_strand([](tcp_connection& self) {
    error_code ignored;
    if (self.idle_)
      self.wire_.socket().cancel(ignored); // It takes its last look.
  });
}

void tcp_connection::stop() {
  on_strand([](tcp_connection& self) {
    self.stopped_ = true;
    self.close();
  });
}

void tcp_connection::answered(http_response response) {
  on_strand([response = std::move(response)](tcp_connection& self) mutable {
    self.response_ = std::move(response);
  });
}

reply tcp_connection::make_reply() {
  response_.reset();
  return once_only([to = weak_from_this()](http_response response) {
    if (const auto self = to.lock())
      self->answered(std::move(response));
  });
}

std::function<void()> tcp_connection::make_opener() {
  return [to = weak_from_this(), turn = request_turn_] {
    if (const auto self = to.lock())
      self->on_strand([turn](tcp_connection& it) {
        it.gate_open_ = it.gate_open_ || it.request_turn_ == turn;
      });
  };
}

std::function<void()> tcp_connection::make_waker() {
  return [to = weak_from_this()] {
    if (const auto self = to.lock())
      self->on_strand([](tcp_connection&) {});
  };
}

// -- deadlines ----------------------------------------------------------------

void tcp_connection::arm(std::chrono::milliseconds time, at_deadline then) {
  timed_out_ = false;
  deadline_.expires_after(time);
  deadline_.async_wait([self = shared_from_this(), turn = ++deadline_turn_,
                        then](const error_code&) {
    if (turn != self->deadline_turn_)
      return;
    self->timed_out_ = true;
    error_code ignored;
    if (then == at_deadline::close)
      self->close();
    else
      self->wire_.socket().shutdown(asio::socket_base::shutdown_receive,
                                    ignored);
  });
}

void tcp_connection::disarm() {
  ++deadline_turn_;
  deadline_.cancel();
}

void tcp_connection::close() {
  error_code ignored;
  wire_.socket().close(ignored);
}

http_response tcp_connection::why_unread(const error_code& why) const {
  if (timed_out_)
    return matrix_error(408, "M_UNKNOWN", "too slow");
  return reader_.problem_of(why).value_or(silence());
}

// -- one request after the other ----------------------------------------------

awaitable<void> tcp_connection::serve() {
  error_code ignored;
  auto& socket = wire_.socket();
  socket.set_option(asio::ip::tcp::no_delay{true}, ignored);
  const auto peer = socket.remote_endpoint(ignored);
  remote_ = peer.address().to_string() + ':' + std::to_string(peer.port());
  if (shared_->identity && !co_await shake_hands())
    co_return;
  while (co_await await_request())
    if (!co_await one_request())
      break;
  if (lingers_)
    co_await linger();
}

/// A client that speaks no TLS, or none that we take, is told by TLS itself.
awaitable<bool> tcp_connection::shake_hands() {
  const auto session = shared_->identity->session();
  if (!session)
    co_return false;
  census_.enter(connection_state::handshake);
  arm(shared_->options.header_time, at_deadline::close);
  const auto ec = co_await wire_.shake_hands(session.value());
  disarm();
  if (ec)
    log.debug("no TLS with a client remote={} why={}", remote_, ec.message());
  co_return !ec;
}

/// Waits for the first byte of a request; an end in between is silent. While
/// draining this is one last look: what a client has sent already is served,
/// since the rest of what it had for the bridge is lost with a cut one (R2).
awaitable<bool> tcp_connection::await_request() {
  for (int empty_lines = 0;;) {
    const bool draining = shared_->draining;
    if (empty_lines < empty_lines_max && reader_.skip_empty_line()) {
      ++empty_lines;
    } else if (reader_.has_bytes()) {
      co_return !stopped_;
    } else if (stopped_
               || (draining && request_turn_ > 0 && !wire_.has_more())) {
      co_return false;
    } else {
      idle_ = true;
      census_.enter(connection_state::idle);
      arm(draining ? first_request_time : shared_->options.idle_time,
          at_deadline::close);
      const auto ec = co_await reader_.read_more();
      disarm();
      idle_ = false;
      const bool told_to_drain = shared_->draining && !timed_out_
        && ec == asio::error::operation_aborted;
      if (ec && !told_to_drain)
        co_return false;
    }
  }
}

awaitable<bool> tcp_connection::one_request() {
  ++request_turn_;
  auto problem = co_await read_head();
  if (problem)
    co_return co_await refuse(std::move(*problem));
  ++shared_->requests;
  const auto wish = shared_->handler(head_);
  standing_.let_in();
  if (wish.answer)
    co_return co_await answer_unread(wish);
  problem = body_problem(head_, wish.body_bytes_max);
  if (problem)
    co_return co_await refuse(std::move(*problem));
  body_budget::claim room{shared_->budget};
  problem = co_await admit(wish, room);
  if (!problem)
    problem = co_await read_body(wish.body_bytes_max);
  room.shrink_to(problem ? 0 : body_.size());
  if (problem)
    co_return co_await refuse(std::move(*problem));
  wish.take(std::move(body_), make_reply());
  const bool goes_on = co_await send_reply(false);
  standing_.waits_again(true);
  co_return goes_on;
}

awaitable<tcp_connection::refusal> tcp_connection::read_head() {
  head_ = {};
  framing_ = {};
  head_.arrived = steady::now();
  head_.remote = remote_;
  census_.enter(connection_state::reading_head);
  arm(shared_->options.header_time, at_deadline::end_reading);
  const auto ec = co_await reader_.read_head();
  disarm();
  if (ec)
    co_return why_unread(ec);
  reader_.copy_head(head_, framing_);
  co_return head_problem(head_, framing_);
}

awaitable<bool> tcp_connection::answer_unread(const body_wish& wish) {
  wish.answer(make_reply());
  co_await await_reply();
  standing_.waits_again(false); // Whoever was refused may be a stranger.
  const bool kept = !head_.chunked
    && head_.content_length <= dropped_body_bytes_max
    && (head_.content_length == 0 || !framing_.expects_continue);
  if (!co_await send_reply(!kept))
    co_return false;
  census_.enter(connection_state::reading_body);
  arm(shared_->options.body_time, at_deadline::close);
  const auto ec = co_await reader_.drop(head_.content_length);
  disarm();
  co_return !ec;
}

// -- admission ----------------------------------------------------------------

awaitable<tcp_connection::refusal>
tcp_connection::admit(const body_wish& wish, body_budget::claim& room) {
  const auto deadline = head_.arrived + wish.hold;
  gate_open_ = !wish.gate;
  if (wish.gate) {
    wish.gate(make_opener());
    std::function<bool()> opened = [this] { return gate_open_; };
    auto problem
      = co_await held_until(std::move(opened), deadline, in_drain::give_up);
    if (problem)
      co_return problem;
  }
  const auto bytes = head_.chunked ? wish.body_bytes_max : head_.content_length;
  if (bytes == 0)
    co_return std::nullopt;
  room.ask(bytes, make_waker());
  std::function<bool()> admitted = [&room] { return room.held(); };
  co_return co_await held_until(std::move(admitted), deadline, in_drain::wait);
}

awaitable<tcp_connection::refusal>
tcp_connection::held_until(std::function<bool()> ready, time_point deadline,
                           in_drain waits) {
  if (ready())
    co_return std::nullopt;
  const held_request mark{shared_->held};
  census_.enter(connection_state::held);
  while (!ready()) {
    if (stopped_ || wire_.peer_ended())
      co_return silence();
    const auto now = steady::now();
    if (shared_->draining)
      deadline = std::min(
        deadline, waits == in_drain::wait ? shared_->waits_end.load() : now);
    if (now >= deadline)
      co_return come_again(held_retry_after, "no room for this for now");
    wake_.expires_at(std::min<time_point>(deadline, now + held_look_time));
    co_await wake_.async_wait(token);
  }
  co_return std::nullopt;
}

awaitable<tcp_connection::refusal>
tcp_connection::read_body(uint64_t body_bytes_max) {
  body_.clear();
  if (head_.content_length == 0 && !head_.chunked)
    co_return std::nullopt;
  census_.enter(connection_state::reading_body);
  arm(shared_->options.body_time, at_deadline::end_reading);
  error_code ec;
  if (framing_.expects_continue && !reader_.has_bytes())
    ec = co_await wire_.write({asio::buffer(go_on), {}});
  if (!ec && head_.chunked)
    ec = co_await reader_.read_chunked(body_bytes_max, body_);
  else if (!ec)
    ec = co_await reader_.read_sized(head_.content_length, body_);
  disarm();
  if (!ec)
    co_return std::nullopt;
  std::string{}.swap(body_); // Its room is given back at once.
  co_return why_unread(ec);
}

} // namespace weir
