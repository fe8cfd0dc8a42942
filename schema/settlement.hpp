#pragma once

#include <boost/describe/enum.hpp>

#include <cstdint>

namespace weir {

/// What became of a pinned transaction.
enum class settlement : uint8_t {
  delivered,   ///< Acknowledged: rows go, the cursor moves.
  bisected,    ///< Rejected content: retired, half of it under a new id.
  split,       ///< Too big: retired, a smaller byte bound, a new id.
  dead_letter, ///< One element left and it is rejected: kept, the cursor moves.
};
BOOST_DESCRIBE_ENUM(settlement, delivered, bisected, split, dead_letter)

} // namespace weir
