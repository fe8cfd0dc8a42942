#pragma once

#include "actors/policy/adaptive_limit.hpp"
#include "actors/policy/fair_turns.hpp"
#include "actors/policy/kept_pause.hpp"
#include "actors/policy/retry_budget.hpp"
#include "actors/policy/room_pauses.hpp"
#include "actors/policy/send_pause.hpp"
#include "actors/policy/send_verdict.hpp"
#include "actors/policy/token_bucket.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace weir::policy {

/// How one account sends.
struct pace_limits {
  double sends_per_second = 50; ///< See `token_bucket`.
  uint32_t in_flight = 8;       ///< 0 is taken for 1.
  backoff::limits pause{milliseconds{1'000}, milliseconds{30'000}, 0.2};
  backoff::limits room_pause{milliseconds{1'000}, milliseconds{300'000}, 0.2};
  bool adaptive = false; ///< See `adaptive_limit`.
  friend bool operator==(const pace_limits&, const pace_limits&) = default;
};
BOOST_DESCRIBE_STRUCT(pace_limits, (),
                      (sends_per_second, in_flight, pause, room_pause,
                       adaptive))

/// Why nothing starts now.
enum class pace_limit : uint8_t {
  none,  ///< Nothing is offered.
  rooms, ///< All rooms that are offered are busy or wait on their own.
  pause, ///< The account or the homeserver, or the answer to a probe.
  cap,   ///< Sends in flight.
  rate,  ///< The token bucket.
};
BOOST_DESCRIBE_ENUM(pace_limit, none, rooms, pause, cap, rate)

/// The enumerator's name.
std::string_view to_string(pace_limit of) noexcept;

/// One start that was granted. It holds a token, a slot and, when it names one,
/// a room, until `settled` or `give_back`.
struct permit {
  uint64_t id = 0;
  turn_source source;
  room_id room; ///< Empty: `begin` says which.
};

/// What to do now.
struct pace {
  std::optional<permit> start;
  /// Otherwise: ask again then, or when something was offered or settled.
  std::optional<instant> wake_at;
  pace_limit limited_by = pace_limit::none;
};

/// What `begin` says.
enum class begin_result : uint8_t {
  go,     ///< Send it now.
  paused, ///< A pause came meanwhile; the permit is gone, the offer stands.
  busy,   ///< Another send is in flight to that room, or others wait for it.
};
BOOST_DESCRIBE_ENUM(begin_result, go, paused, busy)

/// What became of one send.
struct send_outcome {
  pause_effect effect = pause_effect::unknown;
  std::optional<milliseconds> asked; ///< See `policy::retry_after`.
  bool is_retried = false; ///< The same send comes again; offer it anew.
};

/// Decides every start toward the homeserver for one account: nothing is sent
/// without its permit, and nothing after a pause began that its permit does not
/// know of.
///
/// In this order: pauses, slots, a token, and only then whose turn it is (Q6),
/// so that nothing in the rotation moves while nothing can start. Delayed
/// events need a slot and no token, others leave them the way; an eighth of the
/// slots, one start in eight and an eighth of the refill stay with realm
/// events.
///
/// Use: `offer` what could start; `next_start` until it grants nothing; for
/// each permit `begin` right before the bytes leave, then `settled`. A retried
/// send is offered again at once and waits here.
///
/// Not thread-safe; owned by one pacer actor. Takes every time and random
/// number from the caller. Source: rules Q1 to Q10, Q24 to Q29, D2, D6, D7,
/// E4 to E9, E12, E16; guarantees G4, G6, G7.
class pacer {
public:
  pacer(const pace_limits& limits, instant now);

  /// From now on; what is in flight stays, and none starts above a lower cap.
  void use_limits(const pace_limits& limits, instant now);

  /// See `fair_turns::offer`.
  bool offer(const turn_source& source, const room_id& room) {
    return turns_.offer(source, room);
  }
  void withdraw(const turn_source& source, const room_id& room) {
    turns_.withdraw(source, room);
  }

  [[nodiscard]] pace next_start(instant now);

  /// The send of this permit is about to leave, to `room` if the permit names
  /// none. Any other result than `go` has given the permit back.
  [[nodiscard]] begin_result begin(uint64_t permit, const room_id& room,
                                   instant now);

  /// The send never left: nothing was bound, claimed or wanted any more.
  void give_back(uint64_t permit, instant now);

  /// The send has an answer, or was given up. @param random_01 For jitter.
  void settled(uint64_t permit, const send_outcome& outcome, instant now,
               double random_01);

  /// An operator's word, see `send_pause::resume`.
  void resume(instant now, bool forced);

  /// Takes up the stored pause of the account.
  void restore(instant now, milliseconds remaining, bool by_peer);

  /// What `account.not_before` is to hold. No `rest`: no pause.
  struct pause_to_keep {
    milliseconds rest{0}; ///< Rounded up.
    bool by_peer = false;
    instant until;
  };
  /// Anything that the homeserver asked for, at once, our own pauses from
  /// `limits::own_pause_stored_from` on, and the end of a stored one.
  [[nodiscard]] std::optional<pause_to_keep> to_keep(instant now) const;
  /// What became of storing it: done, or nobody knows.
  void kept(const pause_to_keep& what, bool is_done);

  [[nodiscard]] size_t in_flight() const noexcept {
    return open_.size();
  }
  /// When the pause of account and homeserver ends; in the past: none.
  [[nodiscard]] instant paused_until() const noexcept;
  [[nodiscard]] bool account_held() const noexcept {
    return account_.is_held();
  }
  [[nodiscard]] bool homeserver_held() const noexcept {
    return homeserver_.is_held();
  }
  /// When a send to this room may start, as far as the room goes.
  [[nodiscard]] instant ready_at(const room_id& room) const {
    return rooms_.ready_at(room);
  }
  [[nodiscard]] std::vector<room_id> slow_rooms(size_t count) const {
    return rooms_.slow(count);
  }
  /// Of the configured rate and slots, what is used now; 1 unless adaptive.
  [[nodiscard]] double share() const noexcept {
    return share_;
  }
  /// What limited last.
  [[nodiscard]] pace_limit limited_by() const noexcept {
    return limited_by_;
  }
  /// For how long each limit has been the one that binds (E12).
  [[nodiscard]] milliseconds limited_for(pace_limit by) const;

private:
  /// A permit that is out.
  struct open_send {
    turn of;
    bool probes_account = false;
    bool probes_homeserver = false;
    std::optional<instant> begun;
  };

  void adapt(instant now);
  [[nodiscard]] uint32_t slots() const noexcept;
  [[nodiscard]] bool may_start(instant now) const noexcept;
  [[nodiscard]] bool takes_precedence(send_class of) const;
  [[nodiscard]] std::optional<send_class> choose(instant now, pace& why);
  [[nodiscard]] pace decide(instant now);
  [[nodiscard]] permit grant(send_class of);
  void apply(const open_send& of, const send_outcome& outcome, instant now,
             double random_01);
  void answered(const open_send& of, const send_outcome& outcome, instant now,
                double random_01);
  void close_while_waiting(const room_id& room, instant now);
  void note(pace_limit by, instant now);

  pace_limits limits_;
  token_bucket tokens_;
  fair_turns turns_;
  send_pause account_;
  send_pause homeserver_;
  room_pauses rooms_;
  retry_budget retries_;
  adaptive_limit adaptive_;
  double share_ = 1;
  kept_pause kept_;
  std::map<uint64_t, open_send> open_;
  uint64_t last_permit_ = 0;
  uint32_t ahead_in_flight_ = 0; ///< Of classes that go before `bulk`.
  uint32_t ahead_in_row_ = 0;    ///< Started while `bulk` could have.
  pace_limit limited_by_ = pace_limit::none;
  instant noted_at_;
  std::array<instant::duration, 5> limited_for_{};
};

} // namespace weir::policy
