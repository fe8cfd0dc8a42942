#pragma once

#include "tests/bench/wire.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace bench {

/// What one bridge has received.
struct received {
  uint64_t events = 0;  ///< Each counted once.
  uint64_t repeats = 0; ///< Transactions that came again under their id.
  std::string fault;    ///< The first event out of order; empty without.
  std::string last_id;  ///< Path of the newest transaction.
  std::vector<int64_t> arrived_ns; ///< By event number; monotonic clock.
};

/// Bridges on ports of their own, and a homeserver that accepts any call: one
/// thread that answers `200 {}` at once, or never. Thread-safe.
class sink {
public:
  sink(size_t bridges, bool answers);
  ~sink();
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;

  [[nodiscard]] uint16_t bridge_port(size_t bridge) const;
  [[nodiscard]] uint16_t homeserver_port() const;

  /// Waits until every bridge has so many events; ends the program when that
  /// takes longer than a stuck queue is worth waiting for.
  void wait_for(uint64_t events_each);

  /// A copy of what a bridge has received.
  received of(size_t bridge);

private:
  struct peer {
    wire on;
    size_t door; ///< Index of the listener it came through.
  };

  void serve();
  bool take_from(peer& from);
  void count(size_t bridge, const message& transaction);

  bool answers_;
  std::vector<listener> doors_; ///< One a bridge, the homeserver's last.
  std::vector<peer> peers_;
  descriptor stop_reader_;
  descriptor stop_writer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<received> received_;
  std::thread thread_;
};

} // namespace bench
