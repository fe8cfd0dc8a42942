#pragma once

#include "actors/policy/backoff.hpp"
#include "schema/realm.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weir::policy {

/// Which rooms wait on their own, so that one sick room pauses nobody else.
///
/// A room that fails twice in a row while another room was answered in between
/// goes its own way (E8); one that is limited twice while three others were
/// answered in between is limited alone (E4). Until then a failure concerns
/// all. Any verdict makes a room well and forgets it: a room that is well has
/// no state here.
///
/// Not thread-safe; owned by one pacer.
class room_pauses {
public:
  /// Beyond it a failure concerns all: with so many sick rooms the homeserver
  /// is sick.
  static constexpr size_t rooms_max = 10'000;

  explicit room_pauses(backoff::limits bounds) : bounds_{bounds} {
  }

  /// For rooms that are well until now.
  void use_limits(backoff::limits bounds) {
    bounds_ = bounds;
  }

  /// A verdict: the room is well.
  void on_answered(const room_id& room);

  /// No verdict. @return Whether it concerns this room alone, which then waits.
  [[nodiscard]] bool on_overloaded(const room_id& room, instant started,
                                   instant now,
                                   std::optional<milliseconds> asked,
                                   double random_01);

  /// 429. @return As above.
  [[nodiscard]] bool on_limited(const room_id& room, instant started,
                                instant now, std::optional<milliseconds> asked,
                                double random_01);

  /// A verdict that may pass, 500: this room alone waits.
  void on_retry(const room_id& room, instant started, instant now,
                std::optional<milliseconds> asked, double random_01);

  /// The room waits until then at least, for the retry budget.
  void wait_until(const room_id& room, instant until);

  /// Its last send, if any, was answered.
  [[nodiscard]] bool is_well(const room_id& room) const {
    return !sick_.contains(room);
  }

  /// When the next send may start; in the past when it does not wait.
  [[nodiscard]] instant ready_at(const room_id& room) const;

  /// Rooms whose wait is over since the last call.
  [[nodiscard]] std::vector<room_id> take_ready(instant now);

  /// When `take_ready` has something next.
  [[nodiscard]] std::optional<instant> next_ready() const;

  /// Until when the peer asked any single room to wait, to be kept over a
  /// restart; in the past when it did not.
  [[nodiscard]] instant asked_until() const noexcept {
    return asked_until_;
  }

  /// Rooms that wait on their own, at most `count`, for a status.
  [[nodiscard]] std::vector<room_id> slow(size_t count) const;

private:
  struct state {
    backoff pause;
    instant ready_at = instant::min(); ///< As it stands in `waiting_`, if so.
    uint32_t failures = 0;             ///< In a row.
    uint32_t limited = 0;              ///< In a row.
    uint64_t answers_before = 0;       ///< Of other rooms, at the last of them.
    bool is_alone = false;
  };

  [[nodiscard]] state* find_or_add(const room_id& room);
  [[nodiscard]] bool others_answered(const state& since, size_t rooms) const;
  void set_ready(const room_id& room, state& of, instant at);
  void pause(const room_id& room, state& of, instant started, instant now,
             std::optional<milliseconds> asked, double random_01);

  backoff::limits bounds_;
  std::unordered_map<room_id, state> sick_;
  std::set<std::pair<instant, room_id>> waiting_;
  uint64_t answers_ = 0;
  /// The three rooms that were answered last, each with the number of its last
  /// answer, the latest first.
  std::array<std::pair<room_id, uint64_t>, 3> answered_last_;
  instant asked_until_ = instant::min();
};

} // namespace weir::policy
