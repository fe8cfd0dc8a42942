#pragma once

#include "actors/policy/backoff.hpp"
#include "actors/policy/kept_pause.hpp"
#include "actors/policy/poison.hpp"
#include "actors/policy/queue_story.hpp"
#include "actors/policy/verdict.hpp"
#include "schema/settlement.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace weir::policy {

/// What the queue of one appservice does next.
enum class delivery_step : uint8_t {
  nothing,     ///< Nothing is owed, or the queue is broken: wait for a wake.
  send,        ///< Send the pinned bytes, now.
  rest,        ///< Wait until `delivery::ready_at`.
  prove_alive, ///< Ping the bridge: was the last hang about this transaction?
  settle,      ///< End the pinned transaction as `delivery::ending` says.
};

/// What a person is told of a queue.
enum class delivery_state : uint8_t { flowing, resting, blocked };

std::string_view to_string(delivery_state state) noexcept;

/// What is said to an operator who wants a try now.
enum class retry_ruling : uint8_t {
  allowed,
  nothing_owed,
  paused,      ///< By an operator.
  peer_asked,  ///< The bridge asked for a pause, which only force ends.
  not_held_up, ///< Nothing is in the way of the next send.
};

/// What there is to know of the pinned transaction.
struct delivery_subject {
  std::string id;
  uint64_t elements = 0;
  bool suspect = false; ///< Part of a stretch known to hold a bad element.
};

/// Every decision about one appservice's deliveries: when to send, what an
/// answer means, when a transaction is bisected, split or given up, what is
/// told of it. Knows one pinned transaction at a time, so that one in flight
/// is all there can be (R10). Not thread-safe; takes every time and random
/// number from the caller. Its life is drawn in docs/delivery.md.
class delivery {
public:
  struct limits {
    backoff::limits pause;
    poison_limits poison;
    bool dead_letter = true;   ///< False: a bad element blocks the queue.
    bool legacy_paths = false; ///< Try the old path when v1 never worked.
    friend bool operator==(const limits&, const limits&) = default;
  };

  explicit delivery(limits bounds);

  /// There is a pinned transaction, just made or read from the store. The one
  /// that is known already keeps what is known of it, its ending too: an id
  /// stands for its bytes for good, so what the bridge said of it holds, and a
  /// settlement that failed is asked for again instead of another send.
  void pinned(delivery_subject subject, instant now);

  /// Nothing is pinned.
  void nothing_owed(instant now);

  /// The pinned bytes are not what was promised: nothing is sent any more.
  void found_corrupt(instant now);

  /// What was last told of the queue, before this process, or this actor,
  /// began: what is found to be so still is so since then. Comes before all
  /// else that the store knows; later ones say nothing new and are ignored.
  void restore_story(instant now, const std::optional<queue_story>& told);

  /// A pause that was stored before this process, or this actor, began. Comes
  /// before the first `pinned` or `nothing_owed`: later ones say nothing new,
  /// since what is stored then came from here, and are ignored.
  void restore_pause(instant now, milliseconds rest, bool by_peer);

  /// What to do at `now`.
  [[nodiscard]] delivery_step next(instant now) const;

  /// The bridge answered, or did not, to a send that began at `started`.
  /// @param random_01 Uniform in [0, 1), spreads the retries.
  void answered(const verdict& what, instant started, instant now,
                double random_01);

  /// Our own transport ended with the request open. That is no word of the
  /// bridge: no try is counted and no pause becomes longer by it. The same is
  /// done again shortly; in longer and longer steps when it goes on, so that a
  /// transport which this very request brings down is not brought down at once
  /// again and again.
  void interrupted(instant now);

  /// The answer to `prove_alive`; of no use when the settings changed
  /// meanwhile.
  void proved(bool alive, instant now);

  /// The bridge showed that it is there: our own pause ends, one that is yet to
  /// be restored too.
  void bridge_alive(instant now);

  /// The appservice is served in another way from now on. What was refused may
  /// be taken now, so that our own pause and a block end, also those of a send
  /// that is under way; a Retry-After holds. The bridge may be another one, so
  /// that no verdict of before, nor of a send of before, gives anything up.
  void settings_changed(limits bounds, instant now);

  /// A dead letter found no room: the queue holds what it has. Unless the
  /// settings changed meanwhile: then it is sent again.
  void no_room_for_dead_letters(instant now);

  /// An operator's pause: nothing is sent while it lasts. What was sent is
  /// settled all the same.
  void set_halted(bool is_halted) noexcept {
    halted_ = is_halted;
  }
  [[nodiscard]] bool is_halted() const noexcept {
    return halted_;
  }

  /// Whether an operator may have a try now.
  [[nodiscard]] retry_ruling may_retry(bool force, instant now) const;

  /// An operator has a try now: our own pause and a block end, with `force`
  /// what the peer asked for too. Of stored bytes that were damaged nothing is
  /// known any more: they are to be loaded again.
  void retry(bool force, instant now);

  /// An operator took what was pinned out of the way: what held it up is gone,
  /// and only what the peer asked for is left.
  void skipped(instant now);

  /// Whether a command comes before the next step. One that would take the
  /// pinned transaction away has to wait for the acknowledgement of what the
  /// bridge has accepted.
  [[nodiscard]] bool gives_way_to_command() const noexcept {
    return ending_ != settlement::delivered;
  }
  [[nodiscard]] bool is_damaged() const noexcept {
    return corrupt_;
  }
  /// When what the peer asked for is over; in the past when it asked nothing.
  [[nodiscard]] instant peer_asked_until() const noexcept {
    return pause_.peer_asked_until();
  }

  /// How the pinned transaction ends, when `next` says `settle`.
  [[nodiscard]] settlement ending() const;

  /// Why the queue does not flow, and the reason of an ending, for the outcome
  /// feed and dead letters: the class of the last answer (`http_400`) or a
  /// sentence. Empty when the queue flows.
  [[nodiscard]] const std::string& cause() const noexcept {
    return cause_;
  }

  [[nodiscard]] instant ready_at() const;

  /// What the store is to hold from now on. No `rest`: no pause.
  struct stored_pause {
    milliseconds rest{0}; ///< Rounded up.
    bool by_peer = false;
    instant until; ///< The same, exactly.
  };
  /// A pause that must survive a restart and is not stored yet: any that the
  /// peer asked for, our own from `limits::own_pause_stored_from` on. Or the
  /// end of a stored one, which would hold again after a restart.
  [[nodiscard]] std::optional<stored_pause> pause_to_store(instant now) const;

  /// What became of storing `what`: done, or nobody knows.
  void pause_stored(const stored_pause& what, bool is_done);

  [[nodiscard]] bool use_legacy_path() const noexcept {
    return legacy_path_;
  }
  [[nodiscard]] uint32_t attempts() const noexcept {
    return attempts_;
  }
  [[nodiscard]] delivery_state state() const noexcept {
    return state_;
  }
  /// When the state began.
  [[nodiscard]] instant since() const noexcept {
    return since_;
  }
  /// Class of the last failure; kept after recovery. Empty: there was none.
  [[nodiscard]] const std::string& last_error() const noexcept {
    return last_error_;
  }
  [[nodiscard]] instant last_error_at() const noexcept {
    return last_error_at_;
  }
  /// What was said of it, for a person; may be empty.
  [[nodiscard]] const std::string& last_error_text() const noexcept {
    return last_error_text_;
  }
  /// The transaction that the state is about; empty when the queue flows.
  [[nodiscard]] std::string subject() const;
  /// Whether the store was heard: before, there is nothing to tell.
  [[nodiscard]] bool has_begun() const noexcept {
    return begun_;
  }

private:
  void forget_subject();
  [[nodiscard]] bool is_told_of(const std::string& id) const;
  void enter(delivery_state state, instant now);
  void accepted(instant started, instant now);
  void refused(const verdict& what, instant started, instant now,
               double random_01);
  void weigh(verdict_kind kind, instant now);
  void act_on(poison_action action, instant now);
  void give_up(instant now);
  void block(instant now);
  void end_what_we_chose(instant now);
  void forget_verdicts();
  void forget_damage();
  [[nodiscard]] bool is_of_before(instant started) const;

  limits bounds_;
  backoff pause_;
  backoff interruption_; ///< Of our own transport.
  kept_pause kept_;
  std::optional<delivery_subject> subject_;
  std::optional<settlement> ending_;
  instant settings_changed_at_{};
  bool begun_ = false;      ///< Later than whatever the store remembers.
  bool seen_alive_ = false; ///< Before that.
  bool corrupt_ = false;
  bool halted_ = false;
  bool hang_suspected_ = false;
  bool legacy_path_ = false;
  bool v1_worked_ = false;
  uint32_t attempts_ = 0;
  uint32_t rejections_ = 0;
  uint32_t proven_hangs_ = 0;
  /// Next try of a transaction that was given up and not buried. Set for as
  /// long as it is the pinned one and was not accepted.
  std::optional<instant> blocked_until_;
  delivery_state state_ = delivery_state::flowing;
  instant since_{};
  std::string cause_;
  std::string last_error_;
  std::string last_error_text_;
  instant last_error_at_{};
  std::string told_subject_; ///< Of the story, until it began.
};

BOOST_DESCRIBE_STRUCT(delivery::limits, (),
                      (pause, poison, dead_letter, legacy_paths))

} // namespace weir::policy
