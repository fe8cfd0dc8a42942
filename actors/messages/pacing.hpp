#pragma once

#include "actors/policy/pacer.hpp"
#include "actors/policy/send_verdict.hpp"
#include "schema/guarded.hpp"
#include "schema/realm.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the PACER, the HOMESERVER SESSION and those who send by them tell one
/// another. No request leaves for the homeserver on behalf of a realm without a
/// permit.
namespace weir {

/// One start that was granted; no room: the realm binds its next event with it
/// and then says which. To the REALM QUEUE that offered.
struct send_permit {
  uint64_t id = 0;
  room_id room;
};
BOOST_DESCRIBE_STRUCT(send_permit, (), (id, room))

/// The send of a permit is about to leave. Reply: `send_cleared`.
struct clear_send {
  uint64_t permit = 0;
  room_id room;
};
BOOST_DESCRIBE_STRUCT(clear_send, (), (permit, room))

/// Whether it may. If not the permit is gone, and an offer of a room stands.
struct send_cleared {
  policy::begin_result how = policy::begin_result::go;
};
BOOST_DESCRIBE_STRUCT(send_cleared, (), (how))

/// What became of a send that was cleared. Reply: `send_over`.
struct end_send {
  uint64_t permit = 0;
  policy::pause_effect effect = policy::pause_effect::unknown;
  std::optional<milliseconds> asked; ///< See `policy::retry_after`.
  bool is_retried = false;
  std::string cause; ///< Stable short class of what was not good.
};
BOOST_DESCRIBE_STRUCT(end_send, (), (permit, effect, asked, is_retried, cause))

/// The permit is gone.
struct send_over {
  milliseconds room_rests{0}; ///< Until a send to that room may start.
};
BOOST_DESCRIBE_STRUCT(send_over, (), (room_rests))

/// A send never left: nothing is bound or wanted any more.
struct return_permit {
  uint64_t permit = 0;
};
BOOST_DESCRIBE_STRUCT(return_permit, (), (permit))

/// How the account sends now. Reply: `pace_view`.
struct read_pace {};
BOOST_DESCRIBE_STRUCT(read_pace, (), ())

/// The figures of a moment.
struct pace_view {
  policy::pace_limit limited_by = policy::pace_limit::none;
  milliseconds paused_for{0}; ///< 0: there is no pause.
  uint64_t in_flight = 0;
  std::vector<room_id> slow_rooms; ///< Some of them.
  bool account_held = false;
  bool homeserver_held = false;
  double share = 1; ///< Of rate and slots, what is used now.
};
BOOST_DESCRIBE_STRUCT(pace_view, (),
                      (limited_by, paused_for, in_flight, slow_rooms,
                       account_held, homeserver_held, share))

/// A send needs a session. Whoever comes while one is being opened joins that.
/// Reply: `session_opened`.
struct open_session {
  /// The one whose token the homeserver does not know any more; 0: none.
  uint64_t lost = 0;
};
BOOST_DESCRIBE_STRUCT(open_session, (), (lost))

/// A session, or why there is none.
struct session_opened {
  uint64_t session = 0; ///< 0: there is none.
  secret token;
  /// Of the token of an appservice: as whom and in which device it acts; both
  /// may be empty.
  std::string user_id;
  std::string device_id;
  policy::pause_effect effect = policy::pause_effect::none; ///< Of none.
  std::optional<milliseconds> asked; ///< By the homeserver.
  std::string cause;                 ///< Stable short class.
};
BOOST_DESCRIBE_STRUCT(session_opened, (),
                      (session, token, user_id, device_id, effect, asked,
                       cause))

/// Ends whatever is open in lanes that begin so, and whatever waits there: an
/// actor begins that knows of none of it. To the TRANSPORT. Reply:
/// `http_aborted`, once nothing of it can reach the peer any more.
struct abort_lanes {
  std::string prefix; ///< Not empty.
};
BOOST_DESCRIBE_STRUCT(abort_lanes, (), (prefix))

} // namespace weir
