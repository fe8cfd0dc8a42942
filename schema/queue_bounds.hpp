#pragma once

#include "schema/time.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string_view>

namespace weir {

/// What becomes of a queue at its bound. Source: R23 of the appservice rules.
enum class overflow_policy : uint8_t {
  hold,               ///< The homeserver waits, then is told to come again.
  dead_letter_oldest, ///< The oldest are kept aside; else as `hold`.
};
BOOST_DESCRIBE_ENUM(overflow_policy, hold, dead_letter_oldest)

std::string_view to_string(overflow_policy what) noexcept;

/// The bounds of one outbox, and what happens there.
struct queue_bounds {
  uint64_t elements_max = UINT64_MAX; ///< At or above it nothing is taken in.
  uint64_t bytes_max = UINT64_MAX;    ///< Likewise.
  milliseconds age_max{0};            ///< Of events; 0: none.
  overflow_policy overflow = overflow_policy::hold;
  friend bool operator==(const queue_bounds&, const queue_bounds&) = default;
};
BOOST_DESCRIBE_STRUCT(queue_bounds, (),
                      (elements_max, bytes_max, age_max, overflow))

} // namespace weir
