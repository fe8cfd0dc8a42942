#pragma once

#include "tests/demo/http.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace demo {

/// What a bridge saw, in the order in which it came.
struct bridge_record {
  std::vector<std::string> events; ///< Ids, each transaction counted once.
  size_t transactions = 0;
  size_t repeats = 0; ///< The same transaction again, with the same bytes.
  size_t altered = 0; ///< A known transaction id with other bytes.
};

/// A bridge as the Matrix specification describes one: a transaction id that
/// it knows is answered and not handled again. It takes its time, so that
/// events are owed to it when Weir is killed.
class bridge {
public:
  explicit bridge(int work_ms);

  [[nodiscard]] uint16_t port() const noexcept {
    return peer_.port();
  }
  [[nodiscard]] bridge_record seen() const;

private:
  answer take(const incoming& request);

  int work_ms_;
  mutable std::mutex mutex_;
  bridge_record record_;
  std::map<std::string, std::string> bodies_; ///< By transaction id.
  http_peer peer_; ///< Last: it calls into what stands above.
};

} // namespace demo
