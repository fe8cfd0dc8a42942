#pragma once

#include "schema/element.hpp"
#include "schema/queue_bounds.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What happens to an outbox at its bounds, and the alarm before. It is asked
/// about rows above the pin only: no bound touches what is pinned. Source: R23
/// of the appservice rules.
namespace weir::policy {

/// What an outbox holds.
struct queue_fill {
  uint64_t elements = 0;
  uint64_t bytes = 0;
};

/// A queue takes a whole transaction or nothing, so it may end above its bound
/// by one of them.
[[nodiscard]] bool is_full(queue_fill held, const queue_bounds& bounds);

/// One row above the pin.
struct overflow_row {
  lane kind = lane::event;
  uint64_t bytes = 0;
  stored_time accepted_at{};
};

/// What becomes of a row at the bound.
enum class overflow_fate : uint8_t {
  stays,
  dropped,     ///< Ephemeral: it is said anew before long.
  dead_letter, ///< Kept aside for a person.
};

/// Makes room under `dead_letter_oldest`: ephemeral rows first, then the oldest
/// of all others, and no more than needed for the queue to take one transaction
/// in again. A row that finds no room in `letter_room` bytes ends it: what lies
/// behind is younger. Nothing happens below the bounds, or under `hold`.
/// @param rows The oldest above the pin, oldest first.
[[nodiscard]] std::vector<overflow_fate>
make_room(std::span<const overflow_row> rows, queue_fill held,
          const queue_bounds& bounds, uint64_t letter_room);

/// What outlived the bound of the age.
struct outlived_rows {
  std::vector<overflow_fate> fates; ///< `dead_letter` or `stays`.
  bool all_old = true; ///< What lies behind may have outlived it as well.
};

/// Which rows have waited too long to be sent. Events only: what is ephemeral
/// has ages of its own, and to-device messages and keys are no use to a bridge
/// with gaps (R22). The first young row, or an old one that finds no room in
/// `letter_room` bytes, ends it. Without a bound nothing is old.
/// @param rows As those of `make_room`.
[[nodiscard]] outlived_rows outlived(std::span<const overflow_row> rows,
                                     stored_time now,
                                     const queue_bounds& bounds,
                                     uint64_t letter_room);

/// The bounds that a queue can be near to, as bits.
namespace near_bound {
inline constexpr uint32_t elements = 1;
inline constexpr uint32_t bytes = 2;
inline constexpr uint32_t age = 4;
} // namespace near_bound

/// The bounds that are near now: an alarm begins at four fifths of a bound and
/// ends below seven tenths, so that one episode is one alarm. The bit of the
/// age stays as it was.
[[nodiscard]] uint32_t near_bounds(uint32_t before, queue_fill held,
                                   const queue_bounds& bounds);
/// The same for the age of the oldest event that is owed.
[[nodiscard]] uint32_t near_age(uint32_t before, milliseconds oldest,
                                const queue_bounds& bounds);

/// `elements, bytes`, for logs.
[[nodiscard]] std::string near_bounds_text(uint32_t bits);

} // namespace weir::policy
