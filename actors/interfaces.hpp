#pragma once

#include "actors/base.hpp"
#include "actors/bridge_board.hpp"
#include "actors/messages/admin.hpp"
#include "actors/messages/control.hpp"
#include "actors/messages/delivery.hpp"
#include "actors/messages/figures.hpp"
#include "actors/messages/kept.hpp"
#include "actors/messages/realm_door.hpp"
#include "actors/messages/removal.hpp"
#include "actors/messages/store.hpp"
#include "actors/realm_actors.hpp"
#include "actors/settings.hpp"

#include <memory>
#include <vector>

/// The reader's map: every actor of Weir, in the order a transaction meets
/// them; those of realms are in actors/realm_actors.hpp. Who asks whom, and who
/// restarts whom, is drawn in actors/README.md.
namespace weir {

/// A STORE WRITER: every write of this node. Detached; blocks on SQL. Answers
/// only after the commit; errors are told in actors/messages/store.hpp.
using store_writer_actor = caf::typed_actor<
  // Stores a homeserver's transaction and pins what goes out next.
  caf::replies_to<accept_transaction>::with<transaction_stored>,
  // Reads what a queue is owed.
  caf::replies_to<load_queue>::with<queue_loaded>,
  // Acknowledges, retires or buries a pinned transaction.
  caf::replies_to<settle_transaction>::with<transaction_settled>,
  // What operators had done, with the row that tells of it.
  caf::replies_to<halt_queue>::with<queue_halted>,
  caf::replies_to<end_back_off>::with<back_off_ended>,
  caf::replies_to<skip_transaction>::with<transaction_skipped>,
  // What an operator has done with what is kept.
  caf::replies_to<replay_letters>::with<kept_changed>,
  caf::replies_to<drop_letters>::with<kept_changed>,
  caf::replies_to<drop_quarantined>::with<kept_changed>,
  // The end of appservices that no configuration names.
  caf::replies_to<list_held>::with<held_page>,
  caf::replies_to<note_removed>::with<stored>,
  caf::replies_to<remove_appservice>::with<removal_done>,
  caf::replies_to<continue_removals>::with<removal_done>,
  // Small writes.
  caf::replies_to<store_pause>::with<stored>,
  caf::replies_to<publish_status>::with<stored>,
  caf::replies_to<quarantine_body>::with<quarantined>,
  caf::replies_to<adopt_queues>::with<stored>,
  caf::replies_to<beat_slot>::with<stored>,
  caf::replies_to<forget_old>::with<forgotten>,
  caf::replies_to<tidy_store>::with<stored>,
  caf::replies_to<list_owed>::with<owed_page>,
  // Realm events: what producers and operators have done.
  caf::replies_to<submit_realm_events>::with<realm_events_taken>,
  caf::replies_to<change_realm_audience>::with<realm_audience_changed>,
  caf::replies_to<replace_realm_audience>::with<realm_audience_changed>,
  caf::replies_to<cancel_realm_event>::with<realm_event_cancelled>,
  caf::replies_to<redeliver_realm_event>::with<realm_event_redelivered>,
  caf::replies_to<halt_realm>::with<realm_halted>,
  caf::replies_to<delete_realm>::with<realm_deleted>,
  // What a realm's actor does with them.
  caf::replies_to<load_realm>::with<realm_loaded>,
  caf::replies_to<list_realms>::with<realm_page>,
  caf::replies_to<bind_realm_event>::with<realm_bound>,
  caf::replies_to<work_realm>::with<realm_worked>,
  caf::replies_to<expire_realm>::with<realm_expired>,
  caf::replies_to<drop_realm_lossy>::with<realm_dropped>,
  caf::replies_to<forget_realm>::with<realm_forgotten>,
  caf::replies_to<store_account_pause>::with<stored>,
  caf::replies_to<hold_account>::with<stored>,
  caf::replies_to<load_account>::with<account_loaded>,
  // To itself: run a batch of what has come in.
  caf::reacts_to<flush>>;

/// A STORE READER: pages for people. Detached; one snapshot a request.
using store_reader_actor = caf::typed_actor<
  caf::replies_to<read_queues>::with<queues_page>,
  caf::replies_to<read_queue>::with<queues_page>,
  caf::replies_to<read_commands>::with<commands_page>,
  caf::replies_to<read_dead_letters>::with<dead_letters_page>,
  caf::replies_to<read_dead_letter>::with<dead_letters_page>,
  caf::replies_to<read_quarantine>::with<quarantine_page>,
  caf::replies_to<read_quarantined>::with<quarantine_page>,
  caf::replies_to<read_store_figures>::with<store_figures>,
  caf::replies_to<read_export>::with<export_page>,
  // Realms, by the tokens of who asks.
  caf::replies_to<read_realm>::with<realm_answer>,
  caf::replies_to<read_feed>::with<feed_answer>,
  caf::replies_to<read_realms>::with<realms_found>>;

/// The TRANSPORT: all outbound HTTP. It alone owns a peer's deadlines, and it
/// answers a failed request only after it has closed its connection.
using transport_actor
  = caf::typed_actor<caf::replies_to<send_http>::with<http_answer>,
                     caf::replies_to<abort_http>::with<http_aborted>,
                     caf::replies_to<abort_lane>::with<http_aborted>,
                     caf::replies_to<abort_lanes>::with<http_aborted>,
                     // From the network.
                     caf::reacts_to<http_done>>;

/// An APPSERVICE QUEUE: delivers one outbox, one transaction in flight.
using appservice_queue_actor = caf::typed_actor<
  // Something may be owed. Idempotent.
  caf::reacts_to<wake>,
  // The bridge is there: our own back-off ends.
  caf::reacts_to<bridge_alive>,
  // Timers of its own.
  caf::reacts_to<pause_over>, caf::reacts_to<idle_check>, caf::reacts_to<tick>,
  caf::reacts_to<slow_look>,
  // What an operator wants done. Timers for what holds it up.
  caf::reacts_to<give_command>, caf::reacts_to<command_overdue>,
  caf::reacts_to<give_up_send>,
  // Finish what is in flight, start nothing.
  caf::replies_to<drain_request>::with<drained>,
  caf::reacts_to<use_queue_settings>, caf::reacts_to<use_peers>>;

/// The DIRECTORY: appservice → live queue. Spawns on demand, and lets a queue
/// go only if no wake is under way to it.
using directory_actor
  = caf::typed_actor<caf::reacts_to<wake_queue>, caf::reacts_to<bridge_alive>,
                     caf::replies_to<ask_leave>::with<leave_decision>,
                     // Passed on to the queue.
                     caf::reacts_to<give_command>,
                     // Looks for owed queues that have no actor.
                     caf::reacts_to<tick>,
                     caf::replies_to<drain_request>::with<drained>,
                     caf::reacts_to<use_settings>, caf::reacts_to<use_peers>>;

/// A transaction from the listener, to be held while the store is away.
struct offer_transaction {
  accept_transaction request;
  instant hold_until; ///< Then the homeserver is told to come back.
  callback<expected<transaction_stored>> done;
};
BOOST_DESCRIBE_STRUCT(offer_transaction, (), (request, hold_until, done))

/// A body to keep that is no transaction. It is not held: the homeserver
/// repeats it.
struct offer_quarantine {
  quarantine_body request;
  callback<expected<quarantined>> done;
};
BOOST_DESCRIBE_STRUCT(offer_quarantine, (), (request, done))

/// A held transaction is tried again. To the gateway itself.
struct retry_offer {
  uint64_t ticket = 0;
};
BOOST_DESCRIBE_STRUCT(retry_offer, (), (ticket))

/// A drain has begun: offers are held no longer. Those that the store has
/// failed are refused now, and, once `all` is set, those that it has not
/// answered either. To the gateway, by the supervisor and then by itself.
struct end_holds_now {
  bool all = false;
};
BOOST_DESCRIBE_STRUCT(end_holds_now, (), (all))

/// A page of queues for a caller that is no actor.
struct ask_queues {
  read_queues request;
  callback<expected<queues_page>> done;
};
BOOST_DESCRIBE_STRUCT(ask_queues, (), (request, done))

/// A page of dead letters for a caller that is no actor.
struct ask_dead_letters {
  read_dead_letters request;
  callback<expected<dead_letters_page>> done;
};
BOOST_DESCRIBE_STRUCT(ask_dead_letters, (), (request, done))

/// One queue for a caller that is no actor.
struct ask_queue {
  read_queue request;
  callback<expected<queues_page>> done;
};
BOOST_DESCRIBE_STRUCT(ask_queue, (), (request, done))

/// A page of commands for a caller that is no actor.
struct ask_commands {
  read_commands request;
  callback<expected<commands_page>> done;
};
BOOST_DESCRIBE_STRUCT(ask_commands, (), (request, done))

/// One dead letter for a caller that is no actor.
struct ask_dead_letter {
  read_dead_letter request;
  callback<expected<dead_letters_page>> done;
};
BOOST_DESCRIBE_STRUCT(ask_dead_letter, (), (request, done))

/// Dead letters to be put back, for a caller that is no actor. The queue is
/// woken.
struct ask_replay {
  replay_letters request;
  callback<expected<kept_changed>> done;
};
BOOST_DESCRIBE_STRUCT(ask_replay, (), (request, done))

/// Dead letters to be dropped, for a caller that is no actor.
struct ask_drop {
  drop_letters request;
  callback<expected<kept_changed>> done;
};
BOOST_DESCRIBE_STRUCT(ask_drop, (), (request, done))

/// A page of quarantined bodies for a caller that is no actor.
struct ask_quarantine {
  read_quarantine request;
  callback<expected<quarantine_page>> done;
};
BOOST_DESCRIBE_STRUCT(ask_quarantine, (), (request, done))

/// One quarantined body for a caller that is no actor.
struct ask_quarantined {
  read_quarantined request;
  callback<expected<quarantine_page>> done;
};
BOOST_DESCRIBE_STRUCT(ask_quarantined, (), (request, done))

/// Quarantined bodies to be dropped, for a caller that is no actor.
struct ask_drop_quarantined {
  drop_quarantined request;
  callback<expected<kept_changed>> done;
};
BOOST_DESCRIBE_STRUCT(ask_drop_quarantined, (), (request, done))

/// The figures of the store for a caller that is no actor.
struct ask_store_figures {
  read_store_figures request;
  callback<expected<store_figures>> done;
};
BOOST_DESCRIBE_STRUCT(ask_store_figures, (), (request, done))

/// A page of all that is kept of an appservice, for a caller that is no actor.
struct ask_export {
  read_export request;
  callback<expected<export_page>> done;
};
BOOST_DESCRIBE_STRUCT(ask_export, (), (request, done))

/// Rows of an appservice to be deleted, for a caller that is no actor.
struct ask_removal {
  remove_appservice request;
  callback<expected<removal_done>> done;
};
BOOST_DESCRIBE_STRUCT(ask_removal, (), (request, done))

/// One outbound request for a caller that is no actor.
struct ask_http {
  http_request request;
  callback<http_answer> done;
};
BOOST_DESCRIBE_STRUCT(ask_http, (), (request, done))

/// Is the store writable? Answered after a commit.
struct ask_ready {
  callback<expected<stored>> done;
};
BOOST_DESCRIBE_STRUCT(ask_ready, (), (done))

/// The GATEWAY: the one door from the I/O threads to the actors. Every
/// callback it is given runs exactly once.
using gateway_actor = caf::typed_actor<
  caf::reacts_to<offer_transaction>, caf::reacts_to<offer_quarantine>,
  caf::reacts_to<retry_offer>, caf::reacts_to<end_holds_now>,
  caf::reacts_to<ask_queues>, caf::reacts_to<ask_dead_letters>,
  caf::reacts_to<ask_dead_letter>, caf::reacts_to<ask_queue>,
  caf::reacts_to<ask_commands>, caf::reacts_to<ask_replay>,
  caf::reacts_to<ask_drop>, caf::reacts_to<ask_quarantine>,
  caf::reacts_to<ask_quarantined>, caf::reacts_to<ask_drop_quarantined>,
  caf::reacts_to<ask_store_figures>, caf::reacts_to<ask_http>,
  caf::reacts_to<ask_ready>, caf::reacts_to<ask_export>,
  caf::reacts_to<ask_removal>,
  // Passed on to the directory.
  caf::reacts_to<give_command>, caf::reacts_to<bridge_alive>,
  caf::reacts_to<use_peers>>;

/// The REALM GATEWAY: the same door for what producers and operators want of
/// realms.
using realm_gateway_actor
  = caf::typed_actor<caf::reacts_to<ask_submit>, caf::reacts_to<ask_audience>,
                     caf::reacts_to<ask_replace>, caf::reacts_to<ask_cancel>,
                     caf::reacts_to<ask_redeliver>, caf::reacts_to<ask_halt>,
                     caf::reacts_to<ask_realm>, caf::reacts_to<ask_feed>,
                     caf::reacts_to<ask_realms>, caf::reacts_to<ask_pace>,
                     // From realm queues.
                     caf::reacts_to<realm_progress>,
                     // A timer of its own, and the beginning of a drain.
                     caf::reacts_to<look_again>, caf::reacts_to<end_holds_now>,
                     caf::reacts_to<use_peers>>;

/// The JANITOR: beats the slots and bounds what is remembered.
using janitor_actor
  = caf::typed_actor<caf::reacts_to<tick>, caf::reacts_to<idle_check>,
                     caf::reacts_to<use_peers>, caf::reacts_to<use_settings>>;

/// The HOMESERVER PINGER: asks the homeserver, once after a start, to ping each
/// appservice, so that one it holds as down is retried at once.
using pinger_actor
  = caf::typed_actor<caf::reacts_to<tick>, caf::reacts_to<use_settings>,
                     caf::reacts_to<use_peers>>;

/// The SUPERVISOR: starts, monitors and restarts the others.
using supervisor_actor = caf::typed_actor<
  // Drains in order; answers when nothing is in flight.
  caf::replies_to<drain_request>::with<drained>,
  // For those who are there, and for whoever is started later.
  caf::reacts_to<use_settings>>;

/// Who is who, as last told by the supervisor.
struct peers {
  std::vector<store_writer_actor> writers;
  std::vector<store_reader_actor> readers;
  transport_actor transport;
  directory_actor directory;
  gateway_actor gateway;
  // Where realms are served.
  session_actor session;
  pacer_actor pacer;
  realm_directory_actor realms;
  realm_gateway_actor realm_gateway;
  std::shared_ptr<bridge_board> board; ///< May be null.
  /// As last read. Not described: a trace tells it once, by `use_settings`, and
  /// not with every restart.
  std::shared_ptr<const house_settings> settings;

  /// All operations of one queue go to one writer.
  [[nodiscard]] size_t writer_index(const appservice_id& id) const {
    return std::hash<appservice_id>{}(id) % writers.size();
  }
  [[nodiscard]] const store_writer_actor&
  writer_of(const appservice_id& id) const {
    return writers[writer_index(id)];
  }
  [[nodiscard]] const store_writer_actor& writer_of(const realm_id& id) const {
    return writers[std::hash<realm_id>{}(id) % writers.size()];
  }
  [[nodiscard]] const store_writer_actor&
  writer_of_account(const std::string& id) const {
    return writers[std::hash<std::string>{}(id) % writers.size()];
  }
};
BOOST_DESCRIBE_STRUCT(peers, (),
                      (writers, readers, transport, directory, gateway, session,
                       pacer, realms, realm_gateway, board))

} // namespace weir
