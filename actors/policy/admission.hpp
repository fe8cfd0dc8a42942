#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace weir::policy {

/// Bytes of request bodies in flight, bounded at the door.
///
/// A body is reserved whole before a byte of it is read. What does not fit
/// waits in line; nobody overtakes the line, so a large body is not kept out by
/// small ones. A body larger than the whole budget is admitted when nothing
/// else is in flight, and then alone.
///
/// Not thread-safe; owned by one listener, which also bounds how many wait (its
/// connections). After `release`, `expire` and `forget` the owner calls
/// `admit`. Source: R2 of the appservice rules; guarantee G8.
class admission {
public:
  /// @param budget Bytes.
  explicit admission(uint64_t budget) : budget_{budget} {
  }

  /// Reserves now, or not at all: not when it does not fit, and not while
  /// others wait. Nothing is always admitted.
  [[nodiscard]] bool try_reserve(uint64_t bytes);

  /// Gives reserved bytes back: those of `try_reserve`, or of an admitted
  /// ticket.
  void release(uint64_t bytes);

  /// Stands in line. Returns the ticket, never 0 and never used again.
  [[nodiscard]] uint64_t wait(uint64_t bytes, instant until);

  /// Reserves for those first in line who fit now. Returns their tickets in
  /// order; they have left the line and must `release` some day.
  [[nodiscard]] std::vector<uint64_t> admit();

  /// Removes those whose time is up: `until` is at or before `now`. Returns
  /// their tickets in order. They hold nothing.
  [[nodiscard]] std::vector<uint64_t> expire(instant now);

  /// Removes a ticket from the line: the peer went away. One that is not in
  /// line, so an admitted one too, is left alone.
  void forget(uint64_t ticket);

  /// Bytes reserved; above the budget while one larger body is in flight.
  [[nodiscard]] uint64_t used() const noexcept {
    return used_;
  }

  [[nodiscard]] size_t waiting() const noexcept {
    return line_.size();
  }

private:
  struct waiter {
    uint64_t ticket = 0;
    uint64_t bytes = 0;
    instant until;
  };

  [[nodiscard]] bool fits(uint64_t bytes) const noexcept;

  uint64_t budget_;
  uint64_t used_ = 0;
  uint64_t last_ticket_ = 0;
  std::deque<waiter> line_;
};

} // namespace weir::policy
