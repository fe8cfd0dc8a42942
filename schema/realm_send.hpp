#pragma once

#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string_view>

namespace weir {

/// How an event ended for one room, or as a whole before it had any.
enum class send_outcome : uint8_t {
  none, ///< Not yet.
  delivered,
  failed,       ///< Rejected for good, or given up: a dead letter.
  not_joined,   ///< The sender is not in the room.
  unsubscribed, ///< The subscription that it was bound for ended.
  expired,
  cancelled,
  uncertain, ///< It may have arrived, and is too old to be tried again (D9).
  skipped,   ///< The subscription rests since the sender is not in the room.
  merged,    ///< Of an event: what it told is in an older one.
  dropped,   ///< Of a lossy event, for want of room.
  no_rooms,  ///< Of an event that nobody waited for.
};
BOOST_DESCRIBE_ENUM(send_outcome, none, delivered, failed, not_joined,
                    unsubscribed, expired, cancelled, uncertain, skipped,
                    merged, dropped, no_rooms)

/// As in the feed and the API: the name of the value.
std::string_view to_string(send_outcome how) noexcept;

/// Where an accepted event stands.
enum class realm_event_state : uint8_t {
  queued,  ///< Merges, has no rooms yet, may be taken back.
  binding, ///< Some of its rooms are written.
  bound,   ///< All of them are.
  over,
};
BOOST_DESCRIBE_ENUM(realm_event_state, queued, binding, bound, over)

std::string_view to_string(realm_event_state what) noexcept;

} // namespace weir
