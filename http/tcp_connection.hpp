#pragma once

#include "http/connection.hpp"
#include "http/framing.hpp"
#include "http/message_reader.hpp"
#include "http/wire.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace weir {

/// HTTP over one TCP socket, as one coroutine on the socket's strand: a head is
/// read, judged, admitted, its body read, handed over, answered; then the next.
/// Every member is touched on the strand only, but for `drain`, `stop` and
/// `answered`, which go there.
class tcp_connection final
  : public connection,
    public std::enable_shared_from_this<tcp_connection> {
public:
  tcp_connection(boost::asio::ip::tcp::socket socket,
                 std::shared_ptr<listener_state> shared);

  void start(std::function<void()> ended) override;
  [[nodiscard]] std::optional<standing> stands() const override {
    return standing_.get();
  }
  void drain() override;
  void stop() override;
  void answered(http_response response);

private:
  template <class T>
  using awaitable = boost::asio::awaitable<T>;
  using time_point = std::chrono::steady_clock::time_point;

  /// What ends a request before it was served: the answer, or, with status 0,
  /// nothing, because nobody is there to read it.
  using refusal = std::optional<http_response>;

  /// What becomes of the socket when a deadline passes. Both stay in force, so
  /// it does not matter between which two operations it happens.
  enum class at_deadline : uint8_t { end_reading, close };

  /// What a drain does with a request that waits: no queue gets empty in it,
  /// but bodies do go, so that there will be room for the next.
  enum class in_drain : uint8_t { give_up, wait };

  template <class Function>
  void on_strand(Function change) {
    boost::asio::dispatch(
      wire_.socket().get_executor(),
      [self = shared_from_this(), change = std::move(change)]() mutable {
        change(*self);
        self->wake_.cancel();
      });
  }

  void arm(std::chrono::milliseconds time, at_deadline then);
  void disarm();
  void close();
  reply make_reply();
  std::function<void()> make_opener();
  std::function<void()> make_waker();
  [[nodiscard]] http_response
  why_unread(const boost::system::error_code& why) const;

  awaitable<void> serve();
  awaitable<bool> shake_hands();
  awaitable<bool> await_request();
  awaitable<bool> one_request();
  awaitable<refusal> read_head();
  awaitable<bool> answer_unread(const body_wish& wish);
  awaitable<refusal> admit(const body_wish& wish, body_budget::claim& room);
  awaitable<refusal> held_until(std::function<bool()> ready,
                                time_point deadline, in_drain waits);
  awaitable<refusal> read_body(uint64_t body_bytes_max);
  awaitable<void> await_reply();
  awaitable<bool> send_reply(bool then_close);
  awaitable<bool> refuse(http_response response);
  awaitable<bool> send(http_response response);
  awaitable<void> linger();

  std::shared_ptr<listener_state> shared_;
  wire wire_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer wake_; ///< Cancelled when something has changed.
  message_reader reader_;
  std::string remote_;
  request_head head_;
  request_framing framing_;
  std::string body_;
  std::optional<http_response> response_;
  standing_now standing_;
  census_entry census_{shared_->states};
  uint64_t deadline_turn_ = 0; ///< Tells a deadline from those called off.
  uint64_t request_turn_ = 0;  ///< Tells this request from those before.
  bool timed_out_ = false;
  bool idle_ = false;
  bool gate_open_ = false;
  bool stopped_ = false;
  bool lingers_ = false; ///< The last answer may still be under way.
};

} // namespace weir
