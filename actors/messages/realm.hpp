#pragma once

#include "actors/messages/store.hpp"
#include "actors/policy/realm_admission.hpp"
#include "actors/policy/realm_lanes.hpp"
#include "persistence/realm_rows.hpp"
#include "schema/guarded.hpp"
#include "schema/positions.hpp"
#include "schema/realm.hpp"
#include "schema/realm_send.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the STORE WRITER is asked of realms, and what it answers. All of it is
/// one commit; deadlines and errors are as in actors/messages/store.hpp. The
/// key of each is `realm/ID`, or `account/ID`.
namespace weir {

/// Bytes that left the queue with an event, for policy::realm_admission.
struct realm_left {
  realm_class importance = realm_class::progress;
  uint64_t bytes = 0;
  friend bool operator==(const realm_left&, const realm_left&) = default;
};
BOOST_DESCRIBE_STRUCT(realm_left, (), (importance, bytes))

/// What a realm comes to after a commit.
struct realm_news {
  uint64_t unbound = 0;   ///< Events that wait for their rooms.
  uint64_t unsettled = 0; ///< Sends without an outcome.
  bool is_binding = false;
  bool is_halted = false;
  std::vector<realm_left> left;
  friend bool operator==(const realm_news&, const realm_news&) = default;
};
BOOST_DESCRIBE_STRUCT(realm_news, (),
                      (unbound, unsettled, is_binding, is_halted, left))

/// One event that a producer hands in.
struct realm_offer {
  std::string key;      ///< Of idempotency.
  std::string event_id; ///< Drawn at random by who asks.
  std::string type;
  realm_class importance = realm_class::progress;
  coalesce_rule rule;
  event_bytes content; ///< A checked JSON object.
  /// Exactly these rooms; nothing: the realm's audience when it is its turn.
  std::optional<std::vector<room_id>> rooms;
  milliseconds expires_in{0}; ///< 0: never.
  /// A list of strings in the content by which it may be cut (E13).
  std::string split;
};
BOOST_DESCRIBE_STRUCT(realm_offer, (),
                      (key, event_id, type, importance, rule, content, rooms,
                       expires_in, split))

/// Takes events of one realm in, in their order. After one that is refused all
/// later ones are held. At most `limits::realm_submit_events_max`. Reply:
/// `realm_events_taken`.
struct submit_realm_events {
  realm_id realm;
  std::string account;
  std::vector<realm_offer> offers;
  policy::realm_admission::bounds bounds;
  bool held = false; ///< One before them was refused, in another commit.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(submit_realm_events, (),
                      (realm, account, offers, bounds, held, deadline))

/// What became of one offer.
enum class offer_result : uint8_t {
  queued,
  merged,     ///< Into the last queued one.
  replayed,   ///< It came before, under the same key.
  key_reused, ///< The key stands for another body.
  too_large,  ///< And cannot be cut.
  realm_full, ///< 429.
  all_full,   ///< 503.
  held,       ///< One before it was refused: `ORG.WEIR.ORDER_HELD`.
};
BOOST_DESCRIBE_ENUM(offer_result, queued, merged, replayed, key_reused,
                    too_large, realm_full, all_full, held)

/// One offer, answered.
struct offer_taken {
  offer_result result = offer_result::held;
  std::string event_id; ///< Of its first part; empty when it was refused.
  uint64_t seq = 0;     ///< Likewise.
  uint32_t parts = 1;
  realm_event_state state = realm_event_state::queued;
  std::string merged_into;
  /// Bytes by which the queue grew: of the event, or what a merge made of the
  /// one it went into, which may be fewer than before.
  int64_t grown = 0;
  friend bool operator==(const offer_taken&, const offer_taken&) = default;
};
BOOST_DESCRIBE_STRUCT(offer_taken, (),
                      (result, event_id, seq, parts, state, merged_into, grown))

/// All offers of one request, answered.
struct realm_events_taken {
  std::vector<offer_taken> offers;
  realm_news news;
  slot_position at;
};
BOOST_DESCRIBE_STRUCT(realm_events_taken, (), (offers, news, at))

/// Rooms that join and leave a realm's audience, as one version. At most
/// `limits::realm_audience_change_max`. Reply: `realm_audience_changed`.
struct change_realm_audience {
  realm_id realm;
  std::string account;
  std::vector<room_id> add;
  std::vector<room_id> remove;
  std::optional<uint64_t> if_version; ///< Of the audience: else a conflict.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(change_realm_audience, (),
                      (realm, account, add, remove, if_version, deadline))

/// How a change of an audience went.
enum class audience_result : uint8_t {
  done, ///< Also when nothing had to change.
  more, ///< Ask again; where `last` is empty, with the same request.
  version_conflict, ///< It is not the version that was named. 409.
  busy,             ///< Another request is replacing the audience. 503.
  unknown,          ///< No such realm, and nothing to add. 404.
};
BOOST_DESCRIBE_ENUM(audience_result, done, more, version_conflict, busy,
                    unknown)

/// The audience after a change, or as it is.
struct realm_audience_changed {
  audience_result result = audience_result::done;
  uint64_t version = 0;
  uint64_t rooms = 0;
  uint64_t added = 0;
  uint64_t removed = 0; ///< Both by this commit.
  std::string last;     ///< Of `more`.
  slot_position at;
};
BOOST_DESCRIBE_STRUCT(realm_audience_changed, (),
                      (result, version, rooms, added, removed, last, at))

/// Ends what is at the head without rooms, or binds the oldest queued event, or
/// goes on with the one that is being bound. Reply: `realm_bound`.
struct bind_realm_event {
  realm_id realm;
  realm_ordering ordering = realm_ordering::room;
  milliseconds audience_wait{0}; ///< D12.
  /// The actor has a turn for it; without one, only what needs none is done.
  bool has_turn = true;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(bind_realm_event, (),
                      (realm, ordering, audience_wait, has_turn, deadline))

/// What a bind came to.
struct realm_bound {
  /// Of the head, as it is now: `bind` when the actor should ask for a turn.
  policy::head_step step = policy::head_step::wait;
  uint64_t seq = 0;     ///< Of the event that was bound, wholly or in part.
  uint64_t written = 0; ///< Send rows of this commit.
  uint64_t ended = 0;   ///< Events that ended at the head without a send.
  /// Lanes from the first room that was written on.
  std::vector<policy::lane_head> lanes;
  /// Until the head may end without rooms; 0: that is not what it waits for.
  milliseconds wait{0};
  realm_news news;
};
BOOST_DESCRIBE_STRUCT(realm_bound, (),
                      (step, seq, written, ended, lanes, wait, news))

/// Reads the head of a lane, to send it, and notes that it may have been sent
/// from now on, so that a kill in between hides nothing. What is not to be sent
/// any more ends on the way. Reply: `realm_send_begun`.
struct begin_realm_send {
  realm_id realm;
  room_id room;
  bool only_end = false; ///< Nothing is to be sent now: no turn is needed.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(begin_realm_send, (), (realm, room, only_end, deadline))

/// What is to be sent, and how often it was.
struct owed_send {
  uint64_t seq = 0;
  std::string event_id;
  std::string type;
  event_bytes content;
  std::string txn;
  uint32_t attempts = 0;
  bool may_be_stored = false; ///< By a try before this one.
  milliseconds rest{0};       ///< As the homeserver asked for this room.
  milliseconds age{0};        ///< Since it was bound.
  bool has_more = false;
  friend bool operator==(const owed_send&, const owed_send&) = default;
};
BOOST_DESCRIBE_STRUCT(owed_send, (),
                      (seq, event_id, type, content, txn, attempts,
                       may_be_stored, rest, age, has_more))

/// The head of a lane.
struct realm_send_begun {
  std::optional<owed_send> send; ///< Nothing: the lane is empty.
  uint64_t ended = 0;            ///< Sends that ended on the way.
  bool more = false;             ///< Ask again: more are to end.
  realm_news news;
};
BOOST_DESCRIBE_STRUCT(realm_send_begun, (), (send, ended, more, news))

/// Ends a send. Reply: `realm_send_settled`.
struct settle_realm_send {
  realm_id realm;
  uint64_t seq = 0;
  room_id room;
  std::string txn; ///< Of what was sent.
  /// `delivered`, `failed`, `not_joined`, `uncertain`.
  send_outcome how = send_outcome::delivered;
  std::string remote_id; ///< The homeserver's event id.
  std::string cause;     ///< Class of the answer, when it was not delivered.
  uint32_t attempts = 0;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(settle_realm_send, (),
                      (realm, seq, room, txn, how, remote_id, cause, attempts,
                       deadline))

/// A send, ended.
struct realm_send_settled {
  bool not_current = false; ///< It had its outcome, or is another by now.
  std::optional<policy::lane_head> next; ///< Of the same room.
  bool event_over = false;
  realm_news news;
};
BOOST_DESCRIBE_STRUCT(realm_send_settled, (),
                      (not_current, next, event_over, news))

} // namespace weir
