#pragma once

#include "actors/messages/shared.hpp"
#include "actors/policy/ephemeral.hpp"
#include "actors/policy/queue_story.hpp"
#include "persistence/rows.hpp"
#include "schema/bytes.hpp"
#include "schema/element.hpp"
#include "schema/ids.hpp"
#include "schema/limits.hpp"
#include "schema/queue_bounds.hpp"
#include "schema/settlement.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the STORE WRITER and the STORE READERS are asked, and what they answer.
/// Every request to the writer carries a deadline of the monotonic clock: an
/// operation not begun by then is refused with `ec::expired` and not done.
/// Errors of all of them: `ec::unavailable` (database away, disk full; also
/// when it is not known what became of the operation: reload), `ec::expired`,
/// `ec::rejected`.
namespace weir {

/// The bounds of one appservice: of an outgoing transaction, of each lane, of
/// the queue.
struct transaction_bounds {
  uint64_t events = limits::transaction_events_max;
  uint64_t ephemeral = limits::transaction_ephemeral_max;
  uint64_t to_device = limits::transaction_to_device_max;
  uint64_t bytes = limits::transaction_bytes_default;
  policy::lane_rules lanes;
  queue_bounds queue; ///< Of all that is owed (R23).
  friend bool operator==(const transaction_bounds&, const transaction_bounds&)
    = default;
};
BOOST_DESCRIBE_STRUCT(transaction_bounds, (),
                      (events, ephemeral, to_device, bytes, lanes, queue))

/// What became of a queue at its bounds in one commit.
struct bounds_news {
  uint32_t near_before = 0; ///< Bits of policy::near_bound.
  uint32_t near_now = 0;
  uint64_t overflowed = 0; ///< Elements that became dead letters.
};
BOOST_DESCRIBE_STRUCT(bounds_news, (), (near_before, near_now, overflowed))

/// A pinned transaction, rendered: what is sent, again and again, until it is
/// acknowledged or retired.
struct owed_transaction {
  txn_id id;
  shared_bytes body;
  uint64_t first_seq = 0;
  uint64_t last_seq = 0;
  uint64_t elements = 0;
  uint64_t events = 0;
  bool suspect = false; ///< Part of a stretch known to hold a rejected element.
  stored_time as_of;    ///< Of the batch that handed it out.
};
BOOST_DESCRIBE_STRUCT(owed_transaction, (),
                      (id, body, first_seq, last_seq, elements, events, suspect,
                       as_of))

/// Stores a homeserver's transaction, or what is new of a request of the second
/// door, and pins the next outgoing one when none is pinned. Reply:
/// `transaction_stored`.
struct accept_transaction {
  appservice_id appservice;
  std::string hs_txn_id; ///< Empty of the second door.
  shared<incoming_transaction> content;
  transaction_bounds bounds;
  bool dedupe_events = true; ///< Drop events seen under another id (R4).
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(accept_transaction, (),
                      (appservice, hs_txn_id, content, bounds, dedupe_events,
                       deadline))

/// What a transaction was to what is known.
enum class accept_result : uint8_t {
  stored,
  duplicate,      ///< Nothing new in it; nothing was stored.
  non_event_part, ///< A known id with new non-event content: only that.
  id_reused,      ///< A known id with other events: stored, and counted.
  full,           ///< The queue is at its bound: nothing was stored.
};
BOOST_DESCRIBE_ENUM(accept_result, stored, duplicate, non_event_part, id_reused,
                    full)

/// Committed: the homeserver may be answered.
struct transaction_stored {
  accept_result result = accept_result::stored;
  uint64_t elements = 0;        ///< Taken in, as rows or into others.
  uint64_t events_repeated = 0; ///< Left out because they came before.
  /// The pin that this commit set, when it set one and it may be sent now.
  std::optional<owed_transaction> pinned;
  bounds_news bounds;
};
BOOST_DESCRIBE_STRUCT(transaction_stored, (),
                      (result, elements, events_repeated, pinned, bounds))

/// Reads what an appservice is owed, pinning when something is and no pin is
/// set. Reply: `queue_loaded`.
struct load_queue {
  appservice_id appservice;
  transaction_bounds bounds;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(load_queue, (), (appservice, bounds, deadline))

/// A queue as the store has it.
struct queue_loaded {
  std::optional<owed_transaction> pinned;
  /// The pinned rows do not give the pinned bytes: nothing may be sent, a
  /// person must act.
  bool corrupt = false;
  uint64_t acked = 0;   ///< The cursor: nothing up to it may be sent again.
  milliseconds rest{0}; ///< What is left of the stored pause.
  pause_cause paused_by = pause_cause::none;
  std::optional<halt> halted; ///< By an operator.
  /// What was last told of the queue, by this actor or the one before it.
  std::optional<policy::queue_story> story;
};
BOOST_DESCRIBE_STRUCT(queue_loaded, (),
                      (pinned, corrupt, acked, rest, paused_by, halted, story))

/// Ends a pinned transaction and pins the next, in one commit with the outcome.
/// Reply: `transaction_settled`.
struct settle_transaction {
  appservice_id appservice;
  txn_id id;
  settlement how = settlement::delivered;
  std::string reason; ///< Of a refusal, for a person.
  uint32_t attempts = 0;
  transaction_bounds bounds;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(settle_transaction, (),
                      (appservice, id, how, reason, attempts, bounds, deadline))

/// What became of a settling, and what is pinned now.
struct transaction_settled {
  /// The id was not pinned (any more): nothing was changed, reload.
  bool not_current = false;
  /// A dead letter found no room below its bound: nothing was changed.
  bool no_room = false;
  std::optional<owed_transaction> next;
  bounds_news bounds;
};
BOOST_DESCRIBE_STRUCT(transaction_settled, (),
                      (not_current, no_room, next, bounds))

/// Remembers until when an appservice is to be left alone. Reply: `stored`.
struct store_pause {
  appservice_id appservice;
  milliseconds rest{0}; ///< From the batch's now; zero ends the pause.
  pause_cause cause = pause_cause::none;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(store_pause, (), (appservice, rest, cause, deadline))

/// Publishes the state of a queue. Ages are relative to now. Reply: `stored`.
struct publish_status {
  std::string queue;
  std::string state;
  std::string cause;
  milliseconds in_state{0};
  milliseconds next_in{-1}; ///< Negative: nothing will happen by itself.
  std::string last_error;
  milliseconds since_error{0};
  uint64_t attempts = 0;
  milliseconds sending{0}; ///< How long a slow send is under way; 0: none is.
  std::string subject;     ///< The transaction that the state is about.
  std::string last_error_text; ///< What was said of it, for a person.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(publish_status, (),
                      (queue, state, cause, in_state, next_in, last_error,
                       since_error, attempts, sending, subject, last_error_text,
                       deadline))

/// Keeps a body that is no transaction. Reply: `quarantined`.
struct quarantine_body {
  appservice_id appservice;
  std::string hs_txn_id;
  shared_bytes body;
  std::string reason;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(quarantine_body, (),
                      (appservice, hs_txn_id, body, reason, deadline))

/// What became of a body that is no transaction.
struct quarantined {
  /// It is there, now or since before. False: there is no room for it below the
  /// bound, and nothing was changed.
  bool kept = false;
};
BOOST_DESCRIBE_STRUCT(quarantined, (), (kept))

/// Makes the rows of the configured appservices and forgets learned byte
/// bounds. Reply: `stored`.
struct adopt_queues {
  std::vector<appservice_id> appservices;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(adopt_queues, (), (appservices, deadline))

/// Raises the slot's beat and nothing else. Reply: `stored`.
struct beat_slot {
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(beat_slot, (), (deadline))

/// Bounds the windows of one appservice, what waits in its ephemeral lane and
/// the age of what it is owed, and the outcome feed when none is named. Reply:
/// `forgotten`.
struct forget_old {
  std::optional<appservice_id> appservice;
  transaction_bounds bounds; ///< Of that appservice.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(forget_old, (), (appservice, bounds, deadline))

/// How many rows were deleted.
struct forgotten {
  uint64_t rows = 0;
  bounds_news bounds;
};
BOOST_DESCRIBE_STRUCT(forgotten, (), (rows, bounds))

/// Gives free pages back and bounds the database's log. Reply: `stored`.
struct tidy_store {
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(tidy_store, (), (deadline))

/// The empty answer: it is committed.
struct stored {};
BOOST_DESCRIBE_STRUCT(stored, (), ())

/// Appservices that are owed something, after `after`. Reply: `owed_page`.
struct list_owed {
  appservice_id after;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(list_owed, (), (after, deadline))

/// Appservices that are owed something, by id.
struct owed_page {
  std::vector<appservice_id> appservices;
  bool last = true;
};
BOOST_DESCRIBE_STRUCT(owed_page, (), (appservices, last))

} // namespace weir
