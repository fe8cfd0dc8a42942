#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace weir::policy {

/// Readers that wait for something to be committed, and who of them is to look
/// again. Each says what had been committed when it looked last; whoever looked
/// longest ago is first, so that a bound on looks keeps nobody out. Not
/// thread-safe; owned by the realm gateway.
class wait_line {
public:
  /// @param waits_max Who may stand in it at once.
  explicit wait_line(size_t waits_max) : waits_max_{waits_max} {
  }

  /// Stands at the end, until `until` at the latest. False: it is full.
  /// @param seen The count of commits before it looked.
  [[nodiscard]] bool join(uint64_t ticket, uint64_t seen, instant until);

  /// Takes out who is to look now: whose time is over, and, as long as there
  /// are no more than `looks_max`, those that `committed` is news for.
  [[nodiscard]] std::vector<uint64_t> take(uint64_t committed, instant now,
                                           size_t looks_max);
  /// All of them, at the end.
  [[nodiscard]] std::vector<uint64_t> take_all();

  [[nodiscard]] size_t size() const noexcept {
    return waiting_.size();
  }

private:
  struct waiter {
    uint64_t ticket = 0;
    uint64_t seen = 0;
    instant until;
  };

  size_t waits_max_;
  std::deque<waiter> waiting_;
};

} // namespace weir::policy
