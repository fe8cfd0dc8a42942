#pragma once

#include "schema/element.hpp"
#include "schema/ids.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The rows of the store as plain values. One struct per table; column names
/// are the member names. What the columns mean is told in docs/store.md.
namespace weir {

/// The small number that stands for an appservice in all other tables.
using queue_no = int64_t;

/// An unbroken stretch of one lane in an outbox, both ends included.
struct lane_range {
  lane kind = lane::event;
  uint64_t first = 0;
  uint64_t last = 0;
  friend bool operator==(const lane_range&, const lane_range&) = default;
};
BOOST_DESCRIBE_STRUCT(lane_range, (), (kind, first, last))

/// The stored promise that a transaction id means these rows, rendered in this
/// format, with these bytes.
struct pin {
  txn_id id;
  uint32_t format = 1;
  std::vector<lane_range> lanes;
  std::string sha256;  ///< 64 lower-case hex digits, over the rendered body.
  uint64_t events = 0; ///< How many of its elements are events,
  uint64_t others = 0; ///< how many are not,
  uint64_t bytes = 0;  ///< and what all of them come to.
  friend bool operator==(const pin&, const pin&) = default;
};
BOOST_DESCRIBE_STRUCT(pin, (),
                      (id, format, lanes, sha256, events, others, bytes))

/// Why a queue rests until `not_before`.
enum class pause_cause : uint8_t { none = 0, own = 1, peer = 2 };
BOOST_DESCRIBE_ENUM(pause_cause, none, own, peer)

/// An operator's pause of a queue: nothing is sent until it is resumed.
struct halt {
  stored_time since;
  std::string by;     ///< Who asked; never a secret.
  std::string reason; ///< For a person; may be empty.
  friend bool operator==(const halt&, const halt&) = default;
};
BOOST_DESCRIBE_STRUCT(halt, (), (since, by, reason))

/// Table `appservice`: one outbox.
struct queue_row {
  queue_no no = 0;
  appservice_id id;
  uint64_t next_seq = 1; ///< Of the next element; seqs are never reused.
  uint64_t next_txn = 1; ///< Counter half of the next transaction id.
  std::optional<pin> pinned;
  uint64_t acked
    = 0; ///< The cursor: highest seq that left the outbox in order.
  uint64_t owed_events = 0;
  uint64_t owed_others = 0; ///< Elements of all other lanes.
  uint64_t owed_bytes = 0;
  /// The highest ordering of the second door that the bridge acknowledged.
  uint64_t delivered_stream_ordering = 0;
  stored_time not_before;
  pause_cause paused_by = pause_cause::none;
  /// A stretch of seqs known to hold an element that the bridge rejects; 0, 0
  /// when none is. See actors/policy/poison.hpp.
  uint64_t suspect_first = 0;
  uint64_t suspect_last = 0;
  /// Body bound learned from a 413; 0 when none was. Forgotten at a start.
  uint64_t byte_cap = 0;
  uint64_t delivered_transactions = 0;
  uint64_t delivered_events = 0;
  /// Rows of `waiting_ephemeral`, which are in none of the counts above.
  uint64_t waiting = 0;
  uint64_t waiting_bytes = 0;
  /// Elements that went into others, since a later one says the same anew.
  uint64_t merged = 0;
  /// Ephemeral elements given up for their age or for want of room.
  uint64_t dropped = 0;
  std::optional<halt> halted;
  /// Rows of `outbox_ordering`.
  uint64_t orderings = 0;
  /// Highest seq that came by the second door; 0: none did.
  uint64_t ordered_seq = 0;
  /// Elements made dead letters for want of room or for their age.
  uint64_t overflowed = 0;
  /// Bounds that the queue is near to: bits of policy::near_bound.
  uint32_t near_bounds = 0;
  /// Since when no configuration names it; zero: one does.
  stored_time removed_at;

  friend bool operator==(const queue_row&, const queue_row&) = default;
};
BOOST_DESCRIBE_STRUCT(queue_row, (),
                      (no, id, next_seq, next_txn, pinned, acked, owed_events,
                       owed_others, owed_bytes, delivered_stream_ordering,
                       not_before, paused_by, suspect_first, suspect_last,
                       byte_cap, delivered_transactions, delivered_events,
                       waiting, waiting_bytes, merged, dropped, halted,
                       orderings, ordered_seq, overflowed, near_bounds,
                       removed_at))

/// An appservice that the store has rows of.
struct held_queue {
  appservice_id id;
  stored_time removed_at; ///< As `queue_row::removed_at`.
  friend bool operator==(const held_queue&, const held_queue&) = default;
};
BOOST_DESCRIBE_STRUCT(held_queue, (), (id, removed_at))

/// What is kept by an appservice's id: how much, and up to where.
struct kept_counts {
  uint64_t letters = 0;
  int64_t last_letter = 0;
  uint64_t bodies = 0;
  int64_t last_body = 0;
  int64_t last_command = 0; ///< Of any appservice.
  friend bool operator==(const kept_counts&, const kept_counts&) = default;
};
BOOST_DESCRIBE_STRUCT(kept_counts, (),
                      (letters, last_letter, bodies, last_body, last_command))

/// Table `removal`: an appservice whose rows are being deleted, or were.
struct removal_row {
  queue_no no = 0;
  appservice_id appservice;
  uint64_t next_seq = 1;    ///< Behind the last element it had.
  uint64_t next_txn = 1;    ///< Behind the last transaction id it had.
  int64_t last_letter = 0;  ///< Up to here what is kept by its id goes.
  int64_t last_body = 0;    ///< Likewise.
  int64_t last_command = 0; ///< Likewise.
  stored_time begun_at;
  bool done = false;
  friend bool operator==(const removal_row&, const removal_row&) = default;
};

/// Table `outbox`: one element owed.
struct owed_row {
  uint64_t seq = 0;
  /// Seq of the first element that came in the same homeserver transaction.
  uint64_t came_with = 0;
  /// Its transaction had unknown top-level keys: never joined with another.
  bool alone = false;
  element item;
  stored_time accepted_at;
  friend bool operator==(const owed_row&, const owed_row&) = default;
};
BOOST_DESCRIBE_STRUCT(owed_row, (), (seq, came_with, alone, item, accepted_at))

/// Table `waiting_ephemeral`: an ephemeral element that is in no transaction.
struct waiting_row {
  uint64_t arrival = 0; ///< Its order; drawn from `queue_row::next_seq`.
  uint64_t subject = 0; ///< Of actors/policy/ephemeral.hpp; 0: none.
  stored_time accepted_at;
  std::string keys; ///< As `element::keys`.
  event_bytes bytes;
  friend bool operator==(const waiting_row&, const waiting_row&) = default;
};

/// Table `outbox_ordering`: a stream ordering that the second door took in.
struct ordering_row {
  uint64_t ordering = 0; ///< At most 2^63 - 1.
  uint64_t seq = 0;      ///< Of its event in the outbox.
  stored_time at;
  friend bool operator==(const ordering_row&, const ordering_row&) = default;
};

/// Table `inbound_transaction`: what a homeserver's transaction id stood for.
struct inbound_row {
  std::string hs_txn_id;
  uint32_t generation = 0; ///< Rises when an id comes back with other events.
  std::vector<uint64_t> event_hashes;
  /// Every hash of a non-event part that was stored for this id.
  std::vector<uint64_t> non_event_hashes;
  stored_time at;
  friend bool operator==(const inbound_row&, const inbound_row&) = default;
};
BOOST_DESCRIBE_STRUCT(inbound_row, (),
                      (hs_txn_id, generation, event_hashes, non_event_hashes,
                       at))

/// Table `dead_letter`: an element that a bridge rejected for good.
struct dead_letter_row {
  int64_t id = 0; ///< Given by the store.
  appservice_id appservice;
  uint64_t seq = 0; ///< Where it stood in the outbox.
  element item;
  std::string reason; ///< For a person: status and class of the last answer.
  uint32_t attempts = 0;
  stored_time accepted_at;
  stored_time buried_at;
  uint64_t size = 0; ///< Of the bytes, in listings, which have none.
  friend bool operator==(const dead_letter_row&, const dead_letter_row&)
    = default;
};
BOOST_DESCRIBE_STRUCT(dead_letter_row, (),
                      (id, appservice, seq, item, reason, attempts, accepted_at,
                       buried_at, size))

/// Table `quarantine`: a request body that is no transaction. The bytes are
/// arbitrary. Equal bodies of one appservice are kept once and counted.
struct quarantine_row {
  int64_t id = 0; ///< Given by the store.
  appservice_id appservice;
  std::string hs_txn_id;
  std::string body;
  std::string reason;
  uint64_t times = 1;
  stored_time first_at;
  stored_time last_at;
  uint64_t size = 0; ///< Of the body, in listings, which have none.
  friend bool operator==(const quarantine_row&, const quarantine_row&)
    = default;
};
BOOST_DESCRIBE_STRUCT(quarantine_row, (),
                      (id, appservice, hs_txn_id, body, reason, times, first_at,
                       last_at, size))

/// Table `outcome`: the feed of finished deliveries, one row per outgoing
/// transaction that was acknowledged, retired or buried.
struct outcome_row {
  uint32_t slot = 0;
  uint64_t pos = 0;
  std::string queue;   ///< `appservice/ID`
  std::string subject; ///< The transaction id.
  std::string result;  ///< `delivered`, `retired` or `dead_letter`
  std::string detail;
  uint64_t events = 0;
  stored_time at;
  friend bool operator==(const outcome_row&, const outcome_row&) = default;
};
BOOST_DESCRIBE_STRUCT(outcome_row, (),
                      (slot, pos, queue, subject, result, detail, events, at))

/// Table `queue_status`: what the owner of a queue says of it.
struct queue_status_row {
  std::string queue; ///< `appservice/ID`
  std::string state; ///< idle, sending, resting, blocked
  std::string cause; ///< For a person; empty when idle.
  stored_time since;
  stored_time next_at; ///< When something will happen by itself; zero if not.
  std::string last_error; ///< Class of the last failure, kept after recovery.
  stored_time last_error_at;
  uint64_t attempts = 0; ///< Of the pinned transaction, by this process.
  stored_time as_of;
  /// Since when a send is under way; told only when it takes long, else zero.
  stored_time sending_since;
  std::string subject = {}; ///< The transaction that the state is about.
  std::string last_error_text = {}; ///< What was said of it, for a person.
  friend bool operator==(const queue_status_row&, const queue_status_row&)
    = default;
};
BOOST_DESCRIBE_STRUCT(queue_status_row, (),
                      (queue, state, cause, since, next_at, last_error,
                       last_error_at, attempts, as_of, sending_since, subject,
                       last_error_text))

/// Table `command`: what an operator had done.
struct command_row {
  int64_t id = 0;     ///< Given by the store.
  std::string target; ///< `appservice/ID`, `dead_letter/ID` and so on.
  std::string verb;   ///< `pause`, `skip`
  std::string by;     ///< Who asked; never a secret.
  stored_time at;
  std::string result; ///< What came of it, for a person.
  friend bool operator==(const command_row&, const command_row&) = default;
};
BOOST_DESCRIBE_STRUCT(command_row, (), (id, target, verb, by, at, result))

/// Table `slot`: one store writer, and the fence of all it writes.
struct slot_row {
  uint32_t slot = 0;
  std::string owner; ///< Node name, for a person.
  uint64_t epoch = 0;
  uint64_t run = 0; ///< 48 random bits, drawn at every start.
  uint64_t beat = 0;
  uint64_t pos = 0; ///< Dense position of the last committed batch.
  friend bool operator==(const slot_row&, const slot_row&) = default;
};
BOOST_DESCRIBE_STRUCT(slot_row, (), (slot, owner, epoch, run, beat, pos))

} // namespace weir
