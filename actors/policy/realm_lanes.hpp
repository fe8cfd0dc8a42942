#pragma once

#include "schema/realm.hpp"
#include "schema/realm_limits.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace weir::policy {

/// What to do with the oldest unbound event of a realm.
enum class head_step : uint8_t {
  wait,
  complete, ///< It has no target rooms: over, without turn, token or pause.
  bind,     ///< Ask the pacer for a turn without a room, and bind with it.
};
BOOST_DESCRIBE_ENUM(head_step, wait, complete, bind)

/// The oldest unbound event, as the store sees it.
struct unbound_head {
  uint64_t targets
    = 0; ///< Rooms: its own list, else the audience as it is now.
  /// One of them has no send of this realm without an outcome. See
  /// `surely_has_free_target` for when it need not be asked.
  bool has_free_target = false;
  /// When it may complete without a room at the earliest (D12).
  stored_time completes_from;
};

/// What holds for the realm as a whole.
struct realm_condition {
  realm_ordering ordering = realm_ordering::room;
  uint64_t unsettled = 0;  ///< Bound sends without an outcome.
  bool is_binding = false; ///< Of an event some rooms are not yet written.
  bool is_halted = false;  ///< Paused by an operator, or draining.
};

/// An event that nobody waits for is over at once; all others are bound as late
/// as they can be, since until then they merge and their audience may change:
/// when some target room could be sent to at once (D11). The pacer prefers
/// bound sends that can start, so a realm that has one does not bind.
[[nodiscard]] head_step next_head_step(const unbound_head& head,
                                       const realm_condition& realm,
                                       stored_time now) noexcept;

/// More rooms than sends: one of them has none.
[[nodiscard]] constexpr bool
surely_has_free_target(uint64_t targets, uint64_t unsettled) noexcept {
  return targets > unsettled;
}

/// How many rows the next commit of a bind writes.
/// @param written Rows that there are already.
[[nodiscard]] size_t bind_rows(uint64_t targets, uint64_t written) noexcept;

/// The oldest send without an outcome of one lane, that is of one room.
struct lane_head {
  room_id room;
  uint64_t seq = 0;      ///< Of its event.
  bool has_more = false; ///< Others of this realm wait behind it.
  friend bool operator==(const lane_head&, const lane_head&) = default;
};
BOOST_DESCRIBE_STRUCT(lane_head, (), (room, seq, has_more))

/// The lanes of one active realm that are in memory: a window of lanes, of each
/// its head alone, so that neither a room that hangs nor an audience of a
/// hundred thousand fills it. Rooms that wait for a retry stand beside it.
///
/// Within a room sends go in the order of their events, one at a time (D3, G3):
/// a permit for a room means the head of its lane, and a send that is tried
/// again is still the head.
///
/// Not thread-safe; owned by one realm actor.
class realm_lanes {
public:
  /// Lanes that could send: twice the slots of an account as they are by
  /// default, and some 8 kB with what the pacer knows of them.
  static constexpr size_t window_default = 16;
  /// Lanes that wait for a retry beside them; others count in the window.
  static constexpr size_t asleep_max = 1'000;

  /// @param window Lanes that could send; below the slots of the account a
  /// realm alone cannot use them all. At most `fair_turns::offers_max`.
  explicit realm_lanes(size_t window = window_default) : window_{window} {
  }

  /// A lane that the store told of. @return Whether it was taken in: not when
  /// the window is full, and then `wants_more` some day.
  bool add(const lane_head& head);

  /// The store has, or may have, lanes that are not here. After a bind, and
  /// when a page was full.
  void there_may_be_more() noexcept {
    more_ = true;
  }
  void there_are_no_more() noexcept {
    more_ = false;
  }

  /// Whether to read more lanes: half of the window is free.
  [[nodiscard]] bool wants_more() const noexcept;

  /// Lanes here, for the store to leave out.
  [[nodiscard]] std::vector<room_id> known() const;

  /// Rooms to offer to the pacer now; asked again it names none of them.
  [[nodiscard]] std::vector<room_id> to_offer(instant now);

  /// When a lane that waits is to be offered.
  [[nodiscard]] std::optional<instant> next_wake() const;

  /// The event whose send a permit for `room` means. Nothing when there is no
  /// such lane any more, or its head is in flight or waits for a retry: give
  /// the permit back.
  [[nodiscard]] std::optional<uint64_t> start(const room_id& room);

  /// The permit was given back, and the pacer keeps its offer. @return Whether
  /// that has to be withdrawn: the lane is gone.
  [[nodiscard]] bool given_back(const room_id& room);

  /// The send in flight is tried again, at `ready_at` at the earliest: a lane
  /// that waits leaves the window. @return As of `given_back`, when it waits.
  [[nodiscard]] bool retried(const room_id& room, instant ready_at,
                             instant now);

  /// The send in flight has its outcome. @param next The lane's next head.
  /// @return As of `given_back`.
  [[nodiscard]] bool settled(const room_id& room,
                             const std::optional<lane_head>& next);

  /// The lane ended without a send: cancelled, unsubscribed. What is in flight
  /// is finished. @return As of `given_back`.
  [[nodiscard]] bool dropped(const room_id& room);

  [[nodiscard]] size_t in_flight() const noexcept;
  [[nodiscard]] size_t size() const noexcept {
    return lanes_.size();
  }

private:
  struct lane {
    uint64_t seq = 0;
    bool has_more = false;
    bool in_flight = false;
    bool offered = false;
    std::optional<instant> asleep_until;
  };

  [[nodiscard]] bool is_full() const noexcept;
  void wake(lane& of, const room_id& room);

  size_t window_;
  std::map<room_id, lane> lanes_;
  std::set<std::pair<instant, room_id>> asleep_;
  bool more_ = true;
};

} // namespace weir::policy
