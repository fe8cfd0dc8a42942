#pragma once

#include "actors/messages/pacing.hpp"
#include "actors/messages/realm.hpp"
#include "actors/policy/send_verdict.hpp"
#include "actors/policy/sign_in.hpp"
#include "actors/settings.hpp"
#include "schema/http.hpp"

#include <optional>
#include <string>

/// What is said to the homeserver on behalf of an account, and what it says.
namespace weir {

/// `PUT /rooms/{room}/send/{type}/{txn}` with the content as it was bound. All
/// parts of the path are percent-encoded (E18). Source: Client-Server API,
/// "Sending events to a room".
http_request send_request_to(const realm_settings& to, const session_opened& as,
                             const room_id& room, const owed_send& what);

/// `GET /joined_rooms`: is the sender in a room?
http_request joined_rooms_request_to(const realm_settings& to,
                                     const session_opened& as);

/// One step of a sign-in. Source: Client-Server API, "Login"; Application
/// Service API, "Identity assertion"; MSC4190, MSC4326.
http_request sign_in_request_to(const realm_settings& to,
                                policy::sign_in_step step);

/// What a send was answered, as far as anybody goes by it.
struct send_reply {
  policy::send_answer of;
  std::string event_id; ///< Empty: none was told.
};

/// The status is looked at before the body (Q35): a body that is no JSON object
/// is one without members.
send_reply read_send_reply(const http_answer& answer);

/// Whether the sender has joined a room; nothing: it was not told.
std::optional<bool> read_joined(const http_answer& answer, const room_id& room);

/// One step of a sign-in, answered.
struct sign_in_reply {
  policy::sign_in_answer of;
  secret token; ///< Of a login.
};

sign_in_reply read_sign_in_reply(const realm_settings& of,
                                 policy::sign_in_step step,
                                 const http_answer& answer);

/// The lane of sends to a room: one at a time, whoever asks. All of them begin
/// with `send_lanes`.
std::string send_lane(const room_id& room);
inline constexpr const char* send_lanes = "realms/";

/// Longer than a request by its deadlines can take.
milliseconds patience_with(const http_request& request);

} // namespace weir
