#pragma once

#include "http/client/answer_reader.hpp"
#include "http/client/connection.hpp"
#include "http/client/peer_endpoint.hpp"
#include "schema/http.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace weir {

/// What an exchange needs of the client that owns the pools. Called on the
/// exchange's strand; outlives it.
class exchange_home {
public:
  virtual ~exchange_home() = default;
  virtual connection_means means() = 0;
  /// A connection was opened.
  virtual void connected() = 0;
  /// The exchange leaves a connection fit for another request.
  virtual void keep(const std::string& pool,
                    std::shared_ptr<outbound_connection> kept)
    = 0;
  /// The exchange is over; its continuation runs next.
  virtual void ended(uint64_t id) = 0;
};

/// One request and its answer: all of it on one strand, the connection's.
///
/// Reading begins with the writing, not after it: a peer that refuses a body
/// early answers and closes while we still write, and that answer counts.
class exchange : public std::enable_shared_from_this<exchange> {
public:
  /// Where the request goes and what is sent before its body.
  struct plan {
    uint64_t id = 0;
    http_request request;
    peer_endpoint peer;
    std::string head;
    std::string pool; ///< Which idle connections would serve it.
  };
  using continuation = std::function<void(http_answer)>;

  /// `with`: a kept connection, or one that is not open yet.
  exchange(plan what, std::shared_ptr<outbound_connection> with, bool kept,
           std::shared_ptr<exchange_home> home, continuation done);

  /// Starts the work. Any thread.
  void start();
  /// Ends it with `aborted`. Any thread.
  void abort();

private:
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<bool> connect();
  boost::asio::awaitable<void> talk();
  boost::asio::awaitable<void> read_answer();
  boost::asio::awaitable<void> settle_write();
  void begin_write();
  [[nodiscard]] bool kept_one_was_dead() const;
  void replace_connection();
  void arm(std::chrono::milliseconds after, no_answer why);
  void give_up(no_answer why);
  [[nodiscard]] std::string describe(no_answer why) const;
  void finish();

  plan plan_;
  std::shared_ptr<outbound_connection> connection_;
  bool kept_;
  std::shared_ptr<exchange_home> home_;
  continuation done_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer write_end_;
  std::chrono::steady_clock::time_point begun_;
  uint64_t armed_ = 0; ///< Counts what was armed: an old expiry is ignored.
  uint64_t writes_ = 0;
  bool writing_ = false;
  bool written_ = false; ///< The request is out, whole.
  trouble trouble_;      ///< Of connecting, or what we gave up for.
  std::optional<answer_reader> reader_; ///< Once connected.
  std::array<char, size_t{16} << 10> buffer_;
};

} // namespace weir
