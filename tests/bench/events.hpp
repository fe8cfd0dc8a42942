#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

/// Nanoseconds of the monotonic clock.
int64_t now_ns();

/// Sleeps until that moment of the same clock.
void wait_until(int64_t when_ns);

/// A transaction whose events carry consecutive numbers: written once, then
/// only renumbered, so that making load costs next to nothing.
class numbered_transaction {
public:
  /// `events` of `event_bytes` each, all commas and brackets left out.
  numbered_transaction(size_t events, size_t event_bytes);

  /// The body whose first event has this number.
  std::string_view number_from(uint64_t first);

private:
  std::string body_;
  size_t events_;
  size_t first_at_; ///< Where the first event's number stands.
  size_t stride_;   ///< From one event's number to the next one's.
};

/// What a bridge saw of one transaction.
struct numbers_seen {
  uint64_t first = 0;
  uint64_t count = 0;
  bool in_order = true; ///< Each one more than the one before.
};
numbers_seen numbers_in(std::string_view body);

} // namespace bench
