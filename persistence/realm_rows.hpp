#pragma once

#include "persistence/rows.hpp"
#include "schema/realm.hpp"
#include "schema/realm_send.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The rows of realms as plain values. What the columns mean is told in
/// docs/store.md.
namespace weir {

/// The small number that stands for a realm in all other tables.
using realm_no = int64_t;

/// Table `realm`: one source of events.
struct realm_row {
  realm_no no = 0;
  realm_id id;
  std::string account;   ///< Whose sends its events are: a user id.
  uint64_t next_seq = 1; ///< Of the next event; seqs are never reused.
  uint64_t audience_version = 0;
  uint64_t audience = 0; ///< Rooms of that version.
  /// A version that several commits prepare, seen by none; 0: none is.
  uint64_t staged = 0;
  std::string stage_mark;   ///< Of the request that prepares it.
  uint64_t open_events = 0; ///< Not over.
  uint64_t unbound = 0;     ///< Of these, `realm_event_state::queued`.
  uint64_t open_bytes = 0;  ///< Of those not over: sizes, overhead included.
  uint64_t lossy_bytes = 0; ///< Of these, those of lossy events.
  uint64_t unsettled = 0;   ///< Sends without an outcome.
  uint64_t binding = 0;     ///< Seq of the event being bound; 0: none.
  /// Events up to here were there when the realm was deleted.
  uint64_t cancelled_upto = 0;
  uint64_t dead_letters = 0; ///< Sends that can be begun anew.
  uint64_t last_over = 0;    ///< Highest seq that is over. No cursor (E20).
  uint64_t delivered = 0;    ///< Sends, since ever; likewise
  uint64_t merged = 0;       ///< events
  uint64_t dropped = 0;      ///< and events.
  std::optional<halt> halted;
  stored_time deleted_at; ///< Zero: it was not, or was used again since.

  friend bool operator==(const realm_row&, const realm_row&) = default;
};
BOOST_DESCRIBE_STRUCT(realm_row, (),
                      (no, id, account, next_seq, audience_version, audience,
                       staged, stage_mark, open_events, unbound, open_bytes,
                       lossy_bytes, unsettled, binding, cancelled_upto,
                       dead_letters, last_over, delivered, merged, dropped,
                       halted, deleted_at))

/// What all realms come to.
struct realm_totals {
  uint64_t realms = 0;
  uint64_t halted = 0;      ///< Paused by an operator.
  uint64_t open_events = 0; ///< Not over; likewise
  uint64_t open_bytes = 0;  ///< their bytes
  uint64_t unsettled = 0;   ///< and sends without an outcome.
  uint64_t dead_letters = 0;
  stored_time oldest_accepted_at; ///< Of those not over; zero: there is none.
  friend bool operator==(const realm_totals&, const realm_totals&) = default;
};
BOOST_DESCRIBE_STRUCT(realm_totals, (),
                      (realms, halted, open_events, open_bytes, unsettled,
                       dead_letters, oldest_accepted_at))

/// Table `realm_room`: a subscription. It holds for the versions of the
/// audience from `added_in` until before `removed_in`.
struct realm_room_row {
  room_id room;
  uint64_t added_in = 0;
  uint64_t removed_in = 0; ///< 0: it holds still.
  /// Since when it rests because the sender is not in the room; zero: it does
  /// not.
  stored_time suspended_at;
  friend bool operator==(const realm_room_row&, const realm_room_row&)
    = default;
};
BOOST_DESCRIBE_STRUCT(realm_room_row, (),
                      (room, added_in, removed_in, suspended_at))

/// Table `realm_event`: one accepted event, or one part of it.
struct realm_event_row {
  uint64_t seq = 0;
  std::string event_id; ///< Drawn at random; of all realms unique.
  std::string key;      ///< Its producer's, for repetitions (E22).
  uint32_t part = 1;    ///< Of an event that was cut (E13): 1 to `parts`.
  uint32_t parts = 1;
  std::string request; ///< SHA-256 of what came under the key.
  std::string type;
  realm_class importance = realm_class::progress;
  coalesce_rule rule;
  uint64_t size = 0; ///< Counted bytes: content and overhead.
  /// It has target rooms of its own, not the audience.
  bool own_rooms = false;
  stored_time accepted_at;
  stored_time expires_at; ///< Zero: never.
  realm_event_state state = realm_event_state::queued;
  send_outcome how = send_outcome::none; ///< Of an event that had no sends.
  uint64_t audience_version = 0;         ///< It was bound by; 0: not yet.
  stored_time bound_at;
  std::string bound_after; ///< The last room written.
  uint64_t targets = 0;    ///< Rooms; of its own, or as it is bound.
  uint64_t written = 0;    ///< Rows there are.
  uint64_t unsettled = 0;  ///< Of these, without an outcome,
  uint64_t delivered = 0;  ///< delivered,
  uint64_t failed = 0;     ///< and fit to be begun anew.
  stored_time over_at;     ///< Zero: it is not.
  std::string merged_into; ///< Event id.

  friend bool operator==(const realm_event_row&, const realm_event_row&)
    = default;
};
BOOST_DESCRIBE_STRUCT(realm_event_row, (),
                      (seq, event_id, key, part, parts, request, type,
                       importance, rule, size, own_rooms, accepted_at,
                       expires_at, state, how, audience_version, bound_at,
                       bound_after, targets, written, unsettled, delivered,
                       failed, over_at, merged_into))

/// Table `realm_content`: what an event tells, as its producer wrote it.
struct realm_content_row {
  std::string content;
  std::optional<std::vector<room_id>> rooms; ///< Ascending, each once.
  friend bool operator==(const realm_content_row&, const realm_content_row&)
    = default;
};

/// Table `realm_send`: one event to one room.
struct realm_send_row {
  uint64_t seq = 0;
  room_id room;
  uint64_t version = 0; ///< `added_in` of the subscription; 0: needs none.
  realm_class importance = realm_class::progress; ///< Its event's.
  stored_time bound_at; ///< Counts as the first attempt (D9).
  std::string txn;      ///< Of policy::send_id.
  uint32_t generation = 0;
  uint32_t attempts = 0;      ///< Answers that used one.
  uint32_t tries = 0;         ///< That were noted; not each is.
  bool may_be_stored = false; ///< Some try may have arrived.
  std::string cause;          ///< Of the last refusal that was noted.
  stored_time not_before;     ///< As the homeserver asked for this room.
  send_outcome outcome = send_outcome::none;
  std::string remote_id; ///< The homeserver's event id.
  stored_time over_at;

  friend bool operator==(const realm_send_row&, const realm_send_row&)
    = default;
};
BOOST_DESCRIBE_STRUCT(realm_send_row, (),
                      (seq, room, version, importance, bound_at, txn,
                       generation, attempts, tries, may_be_stored, cause,
                       not_before, outcome, remote_id, over_at))

/// The oldest send without an outcome of one room.
struct realm_lane_row {
  room_id room;
  uint64_t seq = 0;
  bool has_more = false;
  friend bool operator==(const realm_lane_row&, const realm_lane_row&)
    = default;
};
BOOST_DESCRIBE_STRUCT(realm_lane_row, (), (room, seq, has_more))

/// Table `account`: whose sends are paced together.
struct account_row {
  std::string id; ///< A user id.
  stored_time not_before;
  pause_cause paused_by = pause_cause::none;
  stored_time held_at; ///< Zero: it is not held.
  std::string held_cause;
  std::string device; ///< Scope of its transaction ids (Q31); empty: not yet.
  friend bool operator==(const account_row&, const account_row&) = default;
};
BOOST_DESCRIBE_STRUCT(account_row, (),
                      (id, not_before, paused_by, held_at, held_cause, device))

} // namespace weir
