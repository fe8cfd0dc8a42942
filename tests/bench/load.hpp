#pragma once

#include "tests/bench/events.hpp"
#include "tests/bench/wire.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// What one appservice is sent by its homeserver.
struct load_plan {
  uint64_t transactions = 0;
  size_t events = 100; ///< In each transaction.
  size_t event_bytes = 1'000;
  double per_second = 0; ///< Transactions; 0 is one after the other.
};

/// When each transaction was sent and how long its answer took.
struct load_times {
  std::vector<int64_t> sent_ns; ///< Monotonic clock.
  std::vector<double> accept_ms;
  int64_t ended_ns = 0; ///< When the last answer came.
};

/// A homeserver's side of one appservice: one connection, one transaction in
/// flight, as the specification asks.
class homeserver {
public:
  /// `target` is the path up to the transaction id.
  homeserver(uint16_t port, std::string target, std::string token);

  /// Sends so many more transactions; any answer but 200 ends the program.
  load_times run(const load_plan& plan);

private:
  wire on_;
  std::string target_;
  std::string token_;
  uint64_t next_event_ = 0;
  uint64_t next_transaction_ = 0;
};

} // namespace bench
