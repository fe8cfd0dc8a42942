#pragma once

#include <boost/describe/class.hpp>

#include <chrono>
#include <compare>
#include <cstdint>

namespace weir {

using std::chrono::milliseconds;

/// A moment of the monotonic clock. Only ever taken from `self->clock()` in
/// actors, and passed to policies as an argument.
using instant = std::chrono::steady_clock::time_point;

/// A moment that is stored: database time less the store's clock offset,
/// milliseconds since 1970-01-01T00:00:00Z. Zero means "none".
struct stored_time {
  int64_t ms = 0;

  friend auto operator<=>(const stored_time&, const stored_time&) = default;
  friend stored_time operator+(stored_time at, milliseconds by) {
    return {at.ms + by.count()};
  }
  friend stored_time operator-(stored_time at, milliseconds by) {
    return {at.ms - by.count()};
  }
  friend milliseconds operator-(stored_time a, stored_time b) {
    return milliseconds{a.ms - b.ms};
  }
};
BOOST_DESCRIBE_STRUCT(stored_time, (), (ms))

} // namespace weir
