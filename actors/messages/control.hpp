#pragma once

#include "actors/messages/shared.hpp"
#include "actors/messages/store.hpp"
#include "persistence/rows.hpp"
#include "schema/ids.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/describe/enum_to_string.hpp>

#include <cstdint>
#include <optional>
#include <string>

/// What an operator asks of one APPSERVICE QUEUE, and what the queue asks of
/// the STORE WRITER for it.
namespace weir {

/// What an operator may have done with a queue.
enum class queue_verb : uint8_t {
  pause,  ///< Send nothing more until it is resumed.
  resume, ///< Go on.
  retry,  ///< Try now.
  skip,   ///< Keep the pinned transaction as dead letters and go on.
  retire, ///< Give a damaged transaction's rows another id.
};
BOOST_DESCRIBE_ENUM(queue_verb, pause, resume, retry, skip, retire)

inline std::string to_string(queue_verb of) {
  return boost::describe::enum_to_string(of, "unknown");
}

/// One command.
struct queue_command {
  appservice_id appservice;
  queue_verb verb = queue_verb::retry;
  std::string by;     ///< Who asked; never a secret.
  std::string reason; ///< Of a pause.
  txn_id txn;         ///< Of `skip` and `retire`: the one that is meant.
  bool force = false; ///< Of `retry`: also against a bridge's Retry-After.
};
BOOST_DESCRIBE_STRUCT(queue_command, (),
                      (appservice, verb, by, reason, txn, force))

/// How a command ended. Of all but `done` nothing was changed.
enum class command_result : uint8_t {
  done,
  already,      ///< It was so before: paused, flowing, being sent.
  nothing_owed, ///< There is nothing to try.
  paused,       ///< A paused queue is not tried.
  bridge_asked, ///< The bridge asked for a pause, until `until`.
  not_current,  ///< Another transaction is pinned, `current`, or none.
  delivered,    ///< The same, and the one that was meant was delivered.
  no_room,      ///< No room for dead letters.
  not_damaged,  ///< Only a damaged transaction is retired.
  in_flight,    ///< What was sent has not come back in time.
  busy,         ///< Too many commands wait for this queue.
  not_served,   ///< No queue of this id is sent anything.
  draining,     ///< Weir is about to end.
};
BOOST_DESCRIBE_ENUM(command_result, done, already, nothing_owed, paused,
                    bridge_asked, not_current, delivered, no_room, not_damaged,
                    in_flight, busy, not_served, draining)

/// What became of a command.
struct command_done {
  command_result result = command_result::done;
  int64_t id = 0;        ///< Of its row in table `command`; 0: there is none.
  bool sending = false;  ///< A send is under way, and is finished.
  txn_id current;        ///< What is pinned now; empty: nothing, or not known.
  uint64_t elements = 0; ///< That became dead letters.
  stored_time until;     ///< See `bridge_asked`.
  std::optional<halt> halted; ///< The operator's pause that is in force.
};
BOOST_DESCRIBE_STRUCT(command_done, (),
                      (result, id, sending, current, elements, until, halted))

/// A command, and who waits for its end. Errors: those of the store; then it
/// was done or was not. Gateway, directory, queue.
struct give_command {
  queue_command what;
  callback<expected<command_done>> done;
};
BOOST_DESCRIBE_STRUCT(give_command, (), (what, done))

/// A timer of the queue itself: the command has waited long enough.
struct command_overdue {
  uint64_t ticket = 0;
};
BOOST_DESCRIBE_STRUCT(command_overdue, (), (ticket))

/// A timer of the queue itself: the send has had the time that a command gives
/// it, and is given up.
struct give_up_send {
  uint64_t http_id = 0;
};
BOOST_DESCRIBE_STRUCT(give_up_send, (), (http_id))

/// Begins or ends an operator's pause. Reply: `queue_halted`.
struct halt_queue {
  appservice_id appservice;
  bool halted = true;
  std::string by;
  std::string reason;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(halt_queue, (),
                      (appservice, halted, by, reason, deadline))

/// The pause that is in force now, and the command's row; 0: nothing changed.
struct queue_halted {
  std::optional<halt> now;
  int64_t command = 0;
};
BOOST_DESCRIBE_STRUCT(queue_halted, (), (now, command))

/// Ends a stored back-off of our own, with `force` any. Reply:
/// `back_off_ended`.
struct end_back_off {
  appservice_id appservice;
  bool force = false;
  std::string by;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(end_back_off, (), (appservice, force, by, deadline))

/// The command's row.
struct back_off_ended {
  int64_t command = 0;
};
BOOST_DESCRIBE_STRUCT(back_off_ended, (), (command))

/// Takes the pinned transaction out of the way: its elements become dead
/// letters, or, if it is damaged, with `keep_rows`, are planned anew under
/// another id. Reply: `transaction_skipped`.
struct skip_transaction {
  appservice_id appservice;
  txn_id id;
  bool keep_rows = false;
  uint32_t attempts = 0;
  std::string by;
  transaction_bounds bounds;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(skip_transaction, (),
                      (appservice, id, keep_rows, attempts, by, bounds,
                       deadline))

/// What became of it: `done`, `not_current`, `no_room` or `not_damaged`.
struct transaction_skipped {
  command_result result = command_result::done;
  int64_t command = 0;
  uint64_t elements = 0; ///< That became dead letters, or were planned anew.
  txn_id current;        ///< What is pinned now.
  uint64_t acked = 0;    ///< The cursor.
  std::optional<owed_transaction> next; ///< When it was pinned by this.
  bounds_news bounds;
};
BOOST_DESCRIBE_STRUCT(transaction_skipped, (),
                      (result, command, elements, current, acked, next, bounds))

} // namespace weir
