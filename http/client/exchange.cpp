#include "http/client/exchange.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>

namespace weir {

namespace net = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

namespace {

/// Long enough for a handler that is queued already; short beside the time it
/// takes to answer a request that is refused before it was read.
constexpr milliseconds write_grace{20};

} // namespace

exchange::exchange(plan what, std::shared_ptr<outbound_connection> with,
                   bool kept, std::shared_ptr<exchange_home> home,
                   continuation done)
  : plan_{std::move(what)},
    connection_{std::move(with)},
    kept_{kept},
    home_{std::move(home)},
    done_{std::move(done)},
    deadline_{connection_->strand()},
    write_end_{connection_->strand()},
    begun_{std::chrono::steady_clock::now()} {
}

void exchange::start() {
  const auto strand = connection_->strand();
  net::co_spawn(strand, run(),
                [self = shared_from_this()](const std::exception_ptr& thrown) {
                  // Only memory that ran out can bring us here.
                  if (thrown && self->trouble_.why == no_answer::none)
                    self->trouble_ = {no_answer::aborted, "out of memory"};
                  self->finish();
                });
}

void exchange::abort() {
  net::post(deadline_.get_executor(),
            [self = shared_from_this()] { self->give_up(no_answer::aborted); });
}

net::awaitable<void> exchange::run() {
  if (kept_ && !connection_->wake())
    replace_connection();
  bool connected = kept_;
  if (!connected)
    connected = co_await connect();
  if (!connected)
    co_return;
  co_await talk();
  if (!kept_one_was_dead())
    co_return;
  replace_connection();
  if (co_await connect())
    co_await talk();
}

net::awaitable<bool> exchange::connect() {
  if (trouble_.why != no_answer::none)
    co_return false;
  const auto deadline = plan_.request.deadlines.connect;
  arm(deadline, no_answer::connect_timeout);
  auto met = co_await connection_->open(plan_.peer, plan_.request.peer.ca_file,
                                        deadline, home_->means());
  if (trouble_.why != no_answer::none)
    co_return false; // Given up: the connection failed because we closed it.
  trouble_ = std::move(met);
  if (trouble_.why != no_answer::none)
    co_return false;
  home_->connected();
  co_return true;
}

net::awaitable<void> exchange::talk() {
  if (trouble_.why != no_answer::none)
    co_return;
  reader_.emplace(answer_reader::bounds{plan_.request.answer_bytes_max,
                                        plan_.request.whole_body,
                                        plan_.request.method != "HEAD"});
  arm(plan_.request.deadlines.answer, no_answer::answer_timeout);
  begin_write();
  co_await read_answer();
  co_await settle_write();
}

/// With several threads the end of the writing may be told after the answer
/// that followed it. It is worth a moment to keep the connection.
net::awaitable<void> exchange::settle_write() {
  if (!writing_ || !reader_->reusable())
    co_return;
  write_end_.expires_after(write_grace);
  error_code ignored;
  co_await write_end_.async_wait(
    net::redirect_error(net::use_awaitable, ignored));
}

void exchange::begin_write() {
  writing_ = true;
  written_ = false;
  connection_->write(
    plan_.head, plan_.request.body.view(),
    [self = shared_from_this(), turn = ++writes_](error_code error) {
      // An error is no verdict: the answer that explains it may be on its way,
      // and reading will tell if it is not.
      if (turn != self->writes_)
        return;
      self->writing_ = false;
      self->written_ = !error;
      self->write_end_.cancel();
    });
}

net::awaitable<void> exchange::read_answer() {
  while (!reader_->finished()) {
    const auto got = co_await connection_->read_some(buffer_);
    if (trouble_.why != no_answer::none) {
      reader_->cut(trouble_.why, trouble_.detail);
    } else if (got.error == net::error::eof) {
      reader_->end_of_stream();
    } else if (got.error) {
      reader_->cut(no_answer::reset,
                   "read from " + plan_.peer.label() + ": "
                     + got.error.message());
    } else {
      const bool in_head = !reader_->head_whole();
      reader_->feed({buffer_.data(), got.size});
      if (in_head && reader_->head_whole())
        arm(plan_.request.deadlines.body, no_answer::answer_timeout);
    }
  }
}

bool exchange::kept_one_was_dead() const {
  return kept_ && reader_ && reader_->untouched()
    && trouble_.why == no_answer::none;
}

void exchange::replace_connection() {
  auto slot = connection_->take_slot();
  const auto strand = connection_->strand();
  connection_->close();
  connection_ = std::make_shared<outbound_connection>(strand, std::move(slot));
  kept_ = false;
  reader_.reset();
}

void exchange::arm(milliseconds after, no_answer why) {
  deadline_.expires_after(after);
  deadline_.async_wait(
    [self = shared_from_this(), why, turn = ++armed_](error_code error) {
      if (!error && turn == self->armed_)
        self->give_up(why);
    });
}

void exchange::give_up(no_answer why) {
  if (!done_ || trouble_.why != no_answer::none)
    return;
  trouble_ = {why, describe(why)};
  connection_->close();
}

std::string exchange::describe(no_answer why) const {
  const auto within = [](milliseconds time) {
    return " within " + std::to_string(time.count()) + " ms";
  };
  const auto& deadlines = plan_.request.deadlines;
  if (why == no_answer::aborted)
    return "given up by us";
  if (why == no_answer::connect_timeout)
    return connection_->stage() + ": not done" + within(deadlines.connect);
  if (reader_ && reader_->head_whole())
    return "the answer's body was not whole" + within(deadlines.body);
  return std::string{written_ ? "" : "request not taken whole, "}
  + "no answer from " + plan_.peer.label() + within(deadlines.answer);
}

void exchange::finish() {
  ++armed_;
  deadline_.cancel();
  http_answer answer;
  if (reader_ && reader_->finished())
    answer = reader_->take();
  else
    answer.failure = trouble_.why, answer.detail = trouble_.detail;
  const bool fit = reader_ && reader_->reusable() && written_
    && trouble_.why == no_answer::none && connection_->silent();
  if (fit)
    home_->keep(plan_.pool, std::move(connection_));
  else
    connection_->close();
  answer.took = std::chrono::duration_cast<milliseconds>(
    std::chrono::steady_clock::now() - begun_);
  const auto done = std::exchange(done_, nullptr);
  home_->ended(plan_.id);
  done(std::move(answer));
}

} // namespace weir
