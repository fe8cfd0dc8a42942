#pragma once

#include "actors/messages/store.hpp"
#include "actors/trace/seams.hpp"
#include "schema/http.hpp"
#include "schema/ids.hpp"

#include <boost/describe/class.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

/// What APPSERVICE QUEUES, the DIRECTORY and the TRANSPORT tell one another.
namespace weir {

/// Something may be owed to this appservice; perhaps the very transaction that
/// a commit has just pinned. Idempotent; to the directory.
struct wake_queue {
  appservice_id appservice;
  std::optional<owed_transaction> pinned;
};
BOOST_DESCRIBE_STRUCT(wake_queue, (), (appservice, pinned))

/// The same, to the queue itself.
struct wake {
  std::optional<owed_transaction> pinned;
};
BOOST_DESCRIBE_STRUCT(wake, (), (pinned))

/// The bridge has shown that it is there (a ping answered, a request of its
/// own): our back-off ends, a peer's Retry-After does not. Directory and queue.
struct bridge_alive {
  appservice_id appservice;
};
BOOST_DESCRIBE_STRUCT(bridge_alive, (), (appservice))

/// A timer of the queue itself; `purpose` tells an old one from the one armed.
struct pause_over {
  uint64_t armed = 0;
};
BOOST_DESCRIBE_STRUCT(pause_over, (), (armed))

/// A timer of the queue itself: has it been idle for long?
struct idle_check {};
BOOST_DESCRIBE_STRUCT(idle_check, (), ())

/// A timer of the queue itself: is that send still under way?
struct slow_look {};
BOOST_DESCRIBE_STRUCT(slow_look, (), ())

/// A queue has nothing to do and would go. The directory lets it go only if no
/// wake has been sent to it since. Reply: `leave_decision`.
struct ask_leave {
  appservice_id appservice;
  uint64_t wakes_seen = 0;
};
BOOST_DESCRIBE_STRUCT(ask_leave, (), (appservice, wakes_seen))

/// Whether the queue may end; else a wake is under way to it.
struct leave_decision {
  bool granted = false;
};
BOOST_DESCRIBE_STRUCT(leave_decision, (), (granted))

/// Finish what is in flight and start nothing more. Reply: `drained`.
struct drain_request {};
BOOST_DESCRIBE_STRUCT(drain_request, (), ())

/// Nothing is in flight any more, and nothing more is started.
struct drained {};
BOOST_DESCRIBE_STRUCT(drained, (), ())

/// Sends one HTTP request. Reply: `http_answer`, after the connection of a
/// failed request was closed. No other errors than those of a dead transport.
struct send_http {
  uint64_t id = 0; ///< Names it for `abort_http`; see `next_http_id`.
  /// Requests of one lane never overlap: a new one first gives up the one that
  /// is open (its asker is dead then) and starts when that is closed. Empty:
  /// no such promise.
  std::string lane;
  http_request request;
};
BOOST_DESCRIBE_STRUCT(send_http, (), (id, lane, request))

/// Unique in this process.
inline uint64_t next_http_id() {
  static std::atomic<uint64_t> last{0};
  return trace::drawn<uint64_t>([] { return ++last; });
}

/// Gives a request up. Reply: `http_aborted`, after its connection was closed
/// and its asker was answered.
struct abort_http {
  uint64_t id = 0;
};
BOOST_DESCRIBE_STRUCT(abort_http, (), (id))

/// Ends whatever is open in a lane and whatever waits there, whoever asked for
/// it: an actor that is gone may have. Reply: `http_aborted`, once nothing of
/// it can reach the peer any more.
struct abort_lane {
  std::string lane;
};
BOOST_DESCRIBE_STRUCT(abort_lane, (), (lane))

/// The connection of the request is closed, or it was never open.
struct http_aborted {};
BOOST_DESCRIBE_STRUCT(http_aborted, (), ())

/// From the network to the transport: what became of a request.
struct http_done {
  uint64_t id = 0;
  http_answer answer;
};
BOOST_DESCRIBE_STRUCT(http_done, (), (id, answer))

/// A timer to oneself, of the kinds that come back by themselves.
struct tick {};
BOOST_DESCRIBE_STRUCT(tick, (), ())

/// The store writer to itself: open a batch with what has come in.
struct flush {};
BOOST_DESCRIBE_STRUCT(flush, (), ())

} // namespace weir
