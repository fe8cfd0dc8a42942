#pragma once

#include "http/body_budget.hpp"
#include "http/connection_states.hpp"
#include "http/displacement.hpp"
#include "http/exchange.hpp"
#include "http/server.hpp"
#include "http/tls_identity.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace weir {

/// What the connections of one listener share. Thread-safe after start.
struct listener_state {
  listener_state(server_options bounds, head_handler decide)
    : options{std::move(bounds)},
      handler{std::move(decide)},
      budget{options.budget_bytes} {
    if (!options.certificate_file.empty())
      identity.emplace(options.certificate_file, options.key_file);
  }

  const server_options options;
  const head_handler handler;
  body_budget budget;
  std::optional<tls_identity> identity; ///< Set: the listener speaks TLS.
  std::atomic<bool> draining{false};
  /// In a drain: until when a request may wait for room for its body.
  std::atomic<std::chrono::steady_clock::time_point> waits_end{};
  std::atomic<uint64_t> held{0};
  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> refused{0};
  /// Of those: by what they were answered.
  std::atomic<uint64_t> malformed{0}, too_large{0}, too_slow{0}, busy{0};

  std::atomic<uint64_t>& refusals_with(int status) {
    switch (status) {
    case 408: return too_slow;
    case 413:
    case 414:
    case 431: return too_large;
    case 503: return busy;
    default: return malformed;
    }
  }
  std::atomic<uint64_t> displaced{0};
  connection_census states;
};

/// Counts one request as held while it lives.
class held_request {
public:
  explicit held_request(std::atomic<uint64_t>& held) : held_{held} {
    ++held_;
  }
  held_request(const held_request&) = delete;
  held_request& operator=(const held_request&) = delete;
  ~held_request() {
    --held_;
  }

private:
  std::atomic<uint64_t>& held_;
};

/// One accepted connection. It lives until it has ended or was stopped.
class connection {
public:
  virtual ~connection() = default;
  /// How it stands; empty while a request that was let in is under way. Any
  /// thread.
  [[nodiscard]] virtual std::optional<standing> stands() const = 0;
  /// Serves requests; `ended` runs once, on the connection's executor.
  virtual void start(std::function<void()> ended) = 0;
  /// Ends it when no request has come, else after the answers to those that
  /// have. Any thread.
  virtual void drain() = 0;
  /// Closes it at once. Any thread.
  virtual void stop() = 0;
};

/// Makes a connection of a socket whose executor is a strand of its own.
std::shared_ptr<connection>
make_connection(boost::asio::ip::tcp::socket socket,
                std::shared_ptr<listener_state> shared);

} // namespace weir
