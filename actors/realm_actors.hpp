#pragma once

#include "actors/base.hpp"
#include "actors/messages/delivery.hpp"
#include "actors/messages/pacing.hpp"
#include "actors/messages/realms.hpp"

#include <boost/describe/class.hpp>

#include <memory>
#include <vector>

/// The part of the map that realm events take, in the order in which they meet
/// its actors. Who asks whom is drawn in actors/README.md.
namespace weir {

struct peers;

/// The handles of the house, sent again by the supervisor after each restart.
struct use_peers {
  std::shared_ptr<const peers> value;
};
BOOST_DESCRIBE_STRUCT(use_peers, (), (value))

/// A realm has nothing to do and would go. Reply: `leave_decision`.
struct ask_realm_leave {
  realm_id realm;
  uint64_t wakes_seen = 0;
};
BOOST_DESCRIBE_STRUCT(ask_realm_leave, (), (realm, wakes_seen))

/// The REALM DIRECTORY: realm → live queue. Spawns on demand, finds by index
/// what is owed, and forgets what is over for long enough.
using realm_directory_actor
  = caf::typed_actor<caf::reacts_to<wake_realm>,
                     caf::replies_to<ask_realm_leave>::with<leave_decision>,
                     // Looks for realms with work that have no actor,
                     caf::reacts_to<tick>,
                     // and for what is to be forgotten.
                     caf::reacts_to<idle_check>,
                     caf::replies_to<drain_request>::with<drained>,
                     caf::reacts_to<use_peers>>;

/// A REALM QUEUE: binds and sends the events of one realm, each room's in their
/// order, by the permits it is given.
using realm_queue_actor = caf::typed_actor<
  // Something may be owed, or lanes may be others. Idempotent.
  caf::reacts_to<wake_realm>,
  // From the pacer.
  caf::reacts_to<send_permit>,
  // Timers of its own.
  caf::reacts_to<pause_over>, caf::reacts_to<idle_check>, caf::reacts_to<tick>,
  // Finish what is in flight, start nothing.
  caf::replies_to<drain_request>::with<drained>, caf::reacts_to<use_peers>>;

/// A realm could send to these rooms now, next in order there. Said again it
/// means the same.
struct offer_sends {
  realm_id realm;
  std::vector<room_id> rooms; ///< An empty id: it would bind an event.
  realm_queue_actor from;
};
BOOST_DESCRIBE_STRUCT(offer_sends, (), (realm, rooms, from))

/// Offers that are no more, if they are still those of `from`.
struct withdraw_sends {
  realm_id realm;
  std::vector<room_id> rooms;
  realm_queue_actor from;
};
BOOST_DESCRIBE_STRUCT(withdraw_sends, (), (realm, rooms, from))

/// The PACER of one account: decides every start toward the homeserver.
using pacer_actor = caf::typed_actor<
  caf::reacts_to<offer_sends>, caf::reacts_to<withdraw_sends>,
  caf::replies_to<clear_send>::with<send_cleared>,
  caf::replies_to<end_send>::with<send_over>, caf::reacts_to<return_permit>,
  caf::replies_to<read_pace>::with<pace_view>,
  // Timers of its own.
  caf::reacts_to<pause_over>, caf::reacts_to<tick>, caf::reacts_to<use_peers>>;

/// The HOMESERVER SESSION of one account: signs in, once for all who wait.
using session_actor
  = caf::typed_actor<caf::replies_to<open_session>::with<session_opened>,
                     caf::reacts_to<use_peers>>;

} // namespace weir
