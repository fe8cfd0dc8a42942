#pragma once

#include "actors/messages/realm.hpp"
#include "actors/messages/realm_control.hpp"
#include "schema/realm.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <vector>

/// What the actors of the realm lane tell one another, and the one request by
/// which a REALM QUEUE does many things at once.
namespace weir {

/// What became of the sends of one realm, and those that are to be sent next,
/// in one commit and in this order: a send that begins sees its lane as those
/// that ended left it. Whatever comes together while one such request is under
/// way goes in the next, so a realm costs a commit for all its sends and not
/// one for each. Reply: `realm_worked`.
struct work_realm {
  realm_id realm;
  std::vector<settle_realm_send> settles;
  std::vector<note_realm_try> tries;
  std::vector<begin_realm_send> begins;
  instant deadline;
};
BOOST_DESCRIBE_STRUCT(work_realm, (), (realm, settles, tries, begins, deadline))

/// What it came to, each in the order of the request.
struct realm_worked {
  std::vector<realm_send_settled> settles;
  std::vector<realm_send_begun> begins;
  realm_news news; ///< Of all of it.
};
BOOST_DESCRIBE_STRUCT(realm_worked, (), (settles, begins, news))

/// What was done with a realm.
enum class realm_change : uint8_t {
  events, ///< Some were taken in.
  audience,
  halt,        ///< Begun or ended.
  cancelled,   ///< From here on
  redelivered, ///< lanes may be others
  deleted,     ///< than an actor knows.
};
BOOST_DESCRIBE_ENUM(realm_change, events, audience, halt, cancelled,
                    redelivered, deleted)

/// A commit has changed what a realm is owed. Idempotent, and may come for
/// nothing. To the REALM DIRECTORY.
struct wake_realm {
  realm_id realm;
  realm_change what = realm_change::events;
};
BOOST_DESCRIBE_STRUCT(wake_realm, (), (realm, what))

/// Bytes have left a realm's queue: how fast tells a producer that was refused
/// when to come back. To the REALM GATEWAY.
struct realm_progress {
  realm_id realm;
  std::vector<realm_left> left;
};
BOOST_DESCRIBE_STRUCT(realm_progress, (), (realm, left))

} // namespace weir
