#pragma once

#include "actors/messages/realm.hpp"
#include "persistence/realm_rows.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What else the STORE WRITER is asked of realms: what producers and operators
/// have done, what time does, and what an actor begins with.
namespace weir {

/// Gives a realm another audience, as one version, whatever number of commits
/// that takes: nobody sees it before the last. Sent again with `after` as the
/// reply says while that is `more`. Another request that comes meanwhile, or a
/// change, takes its place, and it is told `busy`. Reply:
/// `realm_audience_changed`.
struct replace_realm_audience {
  realm_id realm;
  std::string account;
  shared<std::vector<room_id>> rooms; ///< Ascending, each once.
  std::optional<uint64_t> if_version; ///< Asked in the first commit.
  std::string mark; ///< Drawn at random; the same in all its commits.
  bool begins = true;
  std::string after; ///< Of all but the first: the reply's `last`.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(replace_realm_audience, (),
                      (realm, account, rooms, if_version, mark, begins, after,
                       deadline))

/// Takes back what of an event was not begun: wholly while it is queued, else
/// each send when its lane gets to it. Reply: `realm_event_cancelled`.
struct cancel_realm_event {
  realm_id realm;
  std::string event_id;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(cancel_realm_event, (), (realm, event_id, deadline))

/// How it went.
struct realm_event_cancelled {
  bool known = false;
  bool already_over = false;
  /// Sends without an outcome: lanes to be gone through with `only_end`.
  uint64_t unsettled = 0;
  realm_news news;
  slot_position at;
};
BOOST_DESCRIBE_STRUCT(realm_event_cancelled, (),
                      (known, already_over, unsettled, news, at))

/// Begins the dead letters of an event anew, under other transaction ids: some
/// in each commit. Reply: `realm_event_redelivered`.
struct redeliver_realm_event {
  realm_id realm;
  std::string event_id;
  std::string after; ///< The room that the reply before ended with.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(redeliver_realm_event, (),
                      (realm, event_id, after, deadline))

/// How it went.
struct realm_event_redelivered {
  bool known = false;
  uint64_t sends = 0;
  std::string last;  ///< For the next request, when there is
  bool more = false; ///< more.
  /// What came back into the queue, for policy::realm_admission.
  std::optional<realm_left> came_back;
  std::vector<policy::lane_head> lanes; ///< From the first of them on.
  realm_news news;
  slot_position at;
};
BOOST_DESCRIBE_STRUCT(realm_event_redelivered, (),
                      (known, sends, last, more, came_back, lanes, news, at))

/// Begins or ends an operator's pause of a realm. Reply: `realm_halted`.
struct halt_realm {
  realm_id realm;
  bool halted = true;
  std::string by;
  std::string reason;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(halt_realm, (), (realm, halted, by, reason, deadline))

/// How it went.
struct realm_halted {
  bool known = false;
  bool changed = false;
  std::optional<halt> halted; ///< As it is now.
};
BOOST_DESCRIBE_STRUCT(realm_halted, (), (known, changed, halted))

/// Ends a realm: its audience and what it has queued, some in each commit.
/// What was begun is finished (E17). Sent again until nothing more is left;
/// lanes are to be gone through with `only_end`. Reply: `realm_deleted`.
struct delete_realm {
  realm_id realm;
  bool begins = true; ///< The first of these; others go on.
  std::string by;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(delete_realm, (), (realm, begins, by, deadline))

/// How far it came.
struct realm_deleted {
  bool known = false;
  bool more = false;
  realm_news news;
};
BOOST_DESCRIBE_STRUCT(realm_deleted, (), (known, more, news))

/// Ends queued events whose time has passed, and bound sends that are too old
/// to be repeated: some in each commit. Reply: `realm_expired`.
struct expire_realm {
  realm_id realm;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(expire_realm, (), (realm, deadline))

/// What time ended.
struct realm_expired {
  uint64_t events = 0;
  uint64_t sends = 0;
  bool more = false;
  realm_news news;
};
BOOST_DESCRIBE_STRUCT(realm_expired, (), (events, sends, more, news))

/// Drops the oldest lossy events of a realm so that `bytes` more have room.
/// Nothing when they do not come to so much. Reply: `realm_dropped`.
struct drop_realm_lossy {
  realm_id realm;
  uint64_t bytes = 0;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(drop_realm_lossy, (), (realm, bytes, deadline))

/// What was dropped.
struct realm_dropped {
  uint64_t events = 0;
  realm_news news;
};
BOOST_DESCRIBE_STRUCT(realm_dropped, (), (events, news))

/// Notes what came of a try that ended nothing. Reply: `stored`.
struct note_realm_try {
  realm_id realm;
  uint64_t seq = 0;
  room_id room;
  std::string txn;
  uint32_t attempts = 0;      ///< Answers that used one, this one included.
  bool may_be_stored = false; ///< By this try or one before.
  std::string cause;
  milliseconds rest{0}; ///< As the homeserver asked for this room.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(note_realm_try, (),
                      (realm, seq, room, txn, attempts, may_be_stored, cause,
                       rest, deadline))

/// What an actor begins with. Reply: `realm_loaded`.
struct load_realm {
  realm_id realm;
  std::string after; ///< Lanes of rooms above; of the first page empty.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(load_realm, (), (realm, after, deadline))

/// A realm as it is.
struct realm_loaded {
  bool known = false;
  std::string account;
  std::vector<policy::lane_head> lanes; ///< In order of their rooms.
  bool more = false;                    ///< Lanes behind the last of these.
  realm_news news;
};
BOOST_DESCRIBE_STRUCT(realm_loaded, (), (known, account, lanes, more, news))

/// Realms by their numbers. Reply: `realm_page`.
struct list_realms {
  realm_no after = 0;
  bool with_work = true; ///< Only those with events that are not over.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(list_realms, (), (after, with_work, deadline))

/// A page of realms. Their `open_bytes` and `lossy_bytes` are what
/// policy::realm_admission begins with.
struct realm_page {
  std::vector<realm_row> realms;
  bool last = true;
};
BOOST_DESCRIBE_STRUCT(realm_page, (), (realms, last))

/// Forgets what of a realm is over for long enough, and the realm when it was
/// deleted and nothing of it is left: some in each commit. Reply:
/// `realm_forgotten`.
struct forget_realm {
  realm_id realm;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(forget_realm, (), (realm, deadline))

/// What was forgotten.
struct realm_forgotten {
  uint64_t rows = 0;
  bool more = false;
  bool removed = false; ///< The realm itself.
};
BOOST_DESCRIBE_STRUCT(realm_forgotten, (), (rows, more, removed))

/// Stores until when an account rests; 0: it does not. Reply: `stored`.
struct store_account_pause {
  std::string account;
  milliseconds rest{0};
  pause_cause cause = pause_cause::none;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(store_account_pause, (), (account, rest, cause, deadline))

/// Stores why an account is held; empty: it is not. Reply: `stored`.
struct hold_account {
  std::string account;
  std::string cause;
  std::string device; ///< Once it is known; empty: as it was.
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(hold_account, (), (account, cause, device, deadline))

/// Reply: `account_loaded`.
struct load_account {
  std::string account;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(load_account, (), (account, deadline))

/// An account as it is.
struct account_loaded {
  milliseconds rest{0};
  pause_cause paused_by = pause_cause::none;
  std::string held_cause; ///< Empty: it is not held.
  std::string device;
};
BOOST_DESCRIBE_STRUCT(account_loaded, (), (rest, paused_by, held_cause, device))

} // namespace weir
