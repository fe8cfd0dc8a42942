#pragma once

#include "schema/time.hpp"

#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weir::sim {

/// Everything that is done to a run from outside. The first three are traffic,
/// the rest are faults.
enum class act : uint8_t {
  offer, ///< The homeserver has `amount` new events, and some of other lanes.
  burst, ///< It has `amount` old events at once: a history.
  ping,  ///< The homeserver pinged the bridge through Weir: it is alive.
  // -- homeservers ----------------------------------------------------------
  repeat_transaction,  ///< The last acknowledged one again, ages changed.
  repeat_under_new_id, ///< Its events again, under another id.
  restart_homeserver,  ///< Forgets its queue; ids begin at 1 again.
  // -- the process: at the next step of the kind `step` ---------------------
  crash_before_commit,
  crash_after_commit,
  power_cut_before_commit, ///< What was not flushed is gone.
  power_cut_after_commit,
  crash_before_send,
  crash_after_send,
  crash_before_acknowledge, ///< The bridge said yes, nobody knows.
  kill_actor,               ///< The child number `amount`.
  handler_throws,           ///< At the stop point number `step`.
  drain,                    ///< A clean end and a new start.
  // -- the store ------------------------------------------------------------
  commit_lost,        ///< The connection goes before COMMIT is heard.
  commit_answer_lost, ///< And here, after.
  flush_fails,        ///< The disk refuses to say that it holds the commit.
  database_away,      ///< For `amount` milliseconds.
  disk_full,          ///< The same.
  clock_step,         ///< The database's clock moves by `amount`.
  yesterday,          ///< A copy from `amount` ago is put back.
  // -- bridges: the next `count` requests -----------------------------------
  answer_status, ///< Answers status `amount`.
  retry_after,   ///< The same, and asks to be left alone, in form `step`.
  hang,
  reset_unread,    ///< The connection is reset, nothing was done.
  reset_processed, ///< It is reset when all was done.
  torn,            ///< 200, and then the body breaks off.
  slow,            ///< Answers after `amount` milliseconds.
  no_connection,
  outage, ///< No connection for `amount` milliseconds.
  // -- wake-ups -------------------------------------------------------------
  wake_again, ///< One that nothing asked for.
  wake_late,  ///< An old one, with what it promised then.
  // -- the operator ---------------------------------------------------------
  reload, ///< The configuration is read again: another token of the bridge.
  pause_queue,   ///< For `amount` milliseconds.
  retry_now,     ///< By force when `step` is odd.
  skip_current,  ///< The transaction that was sent last.
  replay_dead,   ///< All dead letters, or by name when `step` is odd.
  drop_dead,     ///< Likewise.
  remove_bridge, ///< It comes back, clean, after `amount` milliseconds.
};
BOOST_DESCRIBE_ENUM(act, offer, burst, ping, repeat_transaction,
                    repeat_under_new_id, restart_homeserver,
                    crash_before_commit, crash_after_commit,
                    power_cut_before_commit, power_cut_after_commit,
                    crash_before_send, crash_after_send,
                    crash_before_acknowledge, kill_actor, handler_throws, drain,
                    commit_lost, commit_answer_lost, flush_fails, database_away,
                    disk_full, clock_step, yesterday, answer_status,
                    retry_after, hang, reset_unread, reset_processed, torn,
                    slow, no_connection, outage, wake_again, wake_late, reload,
                    pause_queue, retry_now, skip_current, replay_dead,
                    drop_dead, remove_bridge)

std::string to_string(act what);

/// What a commit is for. A batch that serves several is each of them.
enum class store_step : uint8_t { accept, settle, load, pause, other };
BOOST_DESCRIBE_ENUM(store_step, accept, settle, load, pause, other)

/// The ways in which a bridge asks for a pause.
enum class wait_form : uint8_t { seconds, decimals, date, date_alone, body };
BOOST_DESCRIBE_ENUM(wait_form, seconds, decimals, date, date_alone, body)

/// One line of a plan. Which members count depends on `what`.
struct entry {
  act what = act::offer;
  milliseconds at{0};
  size_t bridge = 0;
  uint8_t step = 0; ///< A `store_step` or a `wait_form`.
  size_t count = 1;
  int64_t amount = 0;
  friend bool operator==(const entry&, const entry&) = default;
};

std::string to_string(const entry& line);

/// How one bridge is. A person would call it its temper.
enum class temper : uint8_t {
  plain,
  rejects_poison, ///< 400 to whatever holds a poisoned event.
  hangs_on_poison,
  crashes_on_poison, ///< 500; answers pings.
  small,             ///< 413 above `bytes_max`.
  sluggish,          ///< Takes seconds for everything.
};
BOOST_DESCRIBE_ENUM(temper, plain, rejects_poison, hangs_on_poison,
                    crashes_on_poison, small, sluggish)

struct bridge_plan {
  temper is = temper::plain;
  size_t bytes_max = 0;          ///< Of `temper::small`.
  size_t queue_elements_max = 0; ///< Of its outbox; 0: none to speak of.
  milliseconds pause_first{1'000};
  milliseconds pause_ceiling{60'000};
  size_t poisoned_one_in = 0; ///< So many events are poisoned; 0: none.
};

std::string to_string(const bridge_plan& of);

/// One run: made from a seed, and nothing else decides.
struct plan {
  uint64_t seed = 0;
  std::vector<bridge_plan> bridges;
  /// By time, but for those at the end that came to the plans later: so the
  /// number of a line that once found something stays the same.
  std::vector<entry> entries;
  milliseconds ends{0}; ///< Nothing is done from outside after it.
  bool fine = false;    ///< Actors yield after each message.
};

plan make_plan(uint64_t seed);

} // namespace weir::sim
