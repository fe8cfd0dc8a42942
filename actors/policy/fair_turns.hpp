#pragma once

#include "schema/realm.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace weir::policy {

/// Who takes turns: a realm, or the delayed events of an account. Of one class
/// as long as it has work.
struct turn_source {
  send_class priority = send_class::bulk;
  std::string id;
  friend auto operator<=>(const turn_source&, const turn_source&) = default;
};

/// One turn that was taken.
struct turn {
  turn_source source;
  room_id room; ///< Empty when the source has yet to say which.
  /// Its place before, for a turn that is given back.
  uint64_t offered = 0;
  uint64_t tag = 0;
  uint64_t since = 0;
  uint64_t since_after = 0;
};

/// Whose send starts next: start-time fair queueing, one send a turn, with
/// classes of priority above it (Q7).
///
/// A source that has nothing to send has no state, except that until the round
/// in which it had its turn is over it is known to have had it: going away and
/// coming back earns none. So a source that comes waits for one send of each
/// other at most (G6).
///
/// Over all sources one send at a time is in flight to a room. A room that
/// becomes free is kept for the source that has waited longest for it, passing
/// those that may not take a slot anyway; a source whose rooms are all busy
/// keeps its place, and loses and earns nothing (E9). While another source
/// waits, none takes more than half the slots (E7). So a source offers the next
/// send to a room while the one before is still in flight: it waits, too.
///
/// Not thread-safe; owned by one pacer. Costs O(log n) a turn. Source: P. Goyal
/// and others, "Start-time Fair Queueing", with every send of cost one.
class fair_turns {
public:
  /// Offers of one source: above any number of slots, so that a source need not
  /// hold them all, and small, since each names its room.
  static constexpr size_t offers_max = 64;

  /// Which room is to be preferred; may be empty.
  using preference = std::function<bool(const room_id&)>;

  /// @param slots Sends in flight over all sources, >= 1.
  explicit fair_turns(uint32_t slots) {
    use_slots(slots);
  }

  void use_slots(uint32_t slots);

  /// The source could send to `room` now, next in order there; an empty room
  /// means that it would find one when it has the turn, which it has only when
  /// none of its rooms can be had. Says nothing new when it is offered already.
  /// @return Whether there was room for it, see `offers_max`.
  bool offer(const turn_source& source, const room_id& room);

  /// The offer is no more: cancelled, expired, told by mistake.
  void withdraw(const turn_source& source, const room_id& room);

  /// Nothing starts to `room` until it is opened.
  void close(const room_id& room);
  void open(const room_id& room);

  /// Takes the next turn of one class; the offer is used up, a slot and the
  /// room are taken until `finish`. Nothing when no source of it can start.
  /// @param prefers Offers for which it is true go before all others.
  [[nodiscard]] std::optional<turn> next(send_class of,
                                         const preference& prefers = {});

  /// Takes a room for a turn without one. False when the room is busy, closed,
  /// or others wait for it: nothing has changed then.
  [[nodiscard]] bool settle_on(turn& of, const room_id& room);

  /// The send has an answer, or never will: slot and room are free.
  void finish(const turn& of);

  /// The send never started: all is as if the turn had not been taken. An offer
  /// without a room is not put back.
  void undo(const turn& of);

  /// Somebody of this class could start.
  [[nodiscard]] bool any_ready(send_class of) const;

  /// Somebody of any class could start, had it not its half of the slots.
  [[nodiscard]] bool any_passed_over() const;

  /// Somebody has an offer, ready or not.
  [[nodiscard]] bool any_offered() const noexcept {
    return offering_ > 0;
  }

  /// Sends in flight of one source.
  [[nodiscard]] uint32_t in_flight(const turn_source& source) const;

  /// Sources that are known in any way, for the bound on memory.
  [[nodiscard]] size_t known() const;

  /// Rooms that are busy, closed, or waited for.
  [[nodiscard]] size_t known_rooms() const noexcept {
    return rooms_.size();
  }

private:
  struct place;

  /// An offer, by the number under which it was made.
  struct member {
    turn_source id;
    uint64_t tag = 0;   ///< When its next turn is, in turns.
    uint64_t since = 0; ///< Among equal tags the earlier goes first.
    uint32_t in_flight = 0;
    std::map<uint64_t, place*> offers;
    std::map<uint64_t, place*> granted; ///< Those of them that may start.
  };

  /// A room.
  struct place {
    const room_id* id = nullptr; ///< Its key among the rooms.
    bool busy = false;
    bool closed = false;
    /// Who waits, by class and then by the number of its offer.
    std::map<std::pair<send_class, uint64_t>, member*> line;
    member* kept_for = nullptr;
    uint64_t kept_offer = 0;
  };

  /// One class of priority.
  struct level {
    uint64_t now = 0; ///< The tag of the turn that was taken last.
    std::set<std::tuple<uint64_t, uint64_t, member*>> ready;
    std::unordered_set<std::string> done; ///< Gone, and ahead of `now`.
  };

  [[nodiscard]] level& level_of(const member& of) {
    return levels_.at(static_cast<size_t>(of.id.priority));
  }
  [[nodiscard]] bool at_limit(const member& of) const noexcept;
  /// Of one that has an offer itself.
  [[nodiscard]] bool must_pass(const member& of) const noexcept;
  member& enter(const turn_source& source);
  void leave_if_idle(member& of);
  void leave_if_idle(place& of);
  place& find_or_add(const room_id& room);
  void grant(member& to, uint64_t offer, place* room);
  void revoke(member& from, uint64_t offer);
  void keep_for_next(place& room);
  void add_offer(member& of, uint64_t offer, const room_id& room);
  void drop_offer(member& of, uint64_t offer);
  turn take(member& of, uint64_t offer);
  void hand_over_rooms(member& of);

  uint32_t share_ = 1;
  uint64_t last_offer_ = 0;
  uint64_t last_since_ = 0;
  size_t offering_ = 0; ///< Members that have an offer.
  std::map<turn_source, member> members_;
  std::unordered_map<room_id, place> rooms_;
  std::array<level, 3> levels_;
};

} // namespace weir::policy
