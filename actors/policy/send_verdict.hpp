#pragma once

#include "schema/http.hpp"
#include "schema/realm.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::policy {

/// What the homeserver said to one send, as far as the verdict goes by it. The
/// body is parsed by the caller, after the status was looked at (Q35).
struct send_answer {
  no_answer failure = no_answer::none;
  int status = 0;        ///< 0 when there was no head.
  bool has_json = false; ///< The body is one JSON object.
  std::string errcode{}; ///< Of the body; empty when it has none.
  std::string error{};   ///< Of the body, for a person.
  bool has_event_id = false;
};

/// What becomes of the send.
enum class send_action : uint8_t {
  delivered,
  retry, ///< The same bytes under the same id, after a pause.
  /// The sender seems not to be in the room. Look once at the rooms it has
  /// joined: not among them ends the send as `not_joined` and suspends the
  /// subscription, else it is a dead letter. The wording alone proves nothing.
  check_membership,
  dead_letter, ///< Refused for good. Later sends to the room go on.
  log_in,      ///< The session is gone: the same again after one login.
};
BOOST_DESCRIBE_ENUM(send_action, delivered, retry, check_membership,
                    dead_letter, log_in)

/// Whom else the answer concerns, and so what is paused.
enum class pause_effect : uint8_t {
  none,            ///< A verdict: the homeserver is well, any episode is over.
  limited,         ///< 429: the account, or one room.
  overloaded,      ///< No verdict: the homeserver, or one room.
  room,            ///< A verdict, and this room alone waits before its retry.
  account_held,    ///< Nobody's event fails by it: the account waits.
  homeserver_held, ///< What answers there is not a homeserver, or not this way.
  unknown,         ///< We ended it ourselves: it tells nothing.
};
BOOST_DESCRIBE_ENUM(pause_effect, none, limited, overloaded, room, account_held,
                    homeserver_held, unknown)

/// One answer, judged.
struct send_verdict {
  send_action action = send_action::retry;
  pause_effect effect = pause_effect::overloaded;
  bool uses_attempt = false; ///< Counts toward `send_attempts_max`.
  /// It may have been stored. Stays so until a verdict: a 429 after a time-out
  /// does not take it back, since Synapse looks at its limits first (E5).
  bool may_be_stored = false;
  /// Stable short class for logs and labels: an errcode of the table below in
  /// lower case without `M_`, a failure, or `http_` and the status's class.
  std::string cause;
};
BOOST_DESCRIBE_STRUCT(send_verdict, (),
                      (action, effect, uses_attempt, may_be_stored, cause))

/// Answers that use an attempt before a send is given up. Only an answer about
/// the event uses one; failures without a verdict never do (D7).
inline constexpr uint32_t send_attempts_max = 5;

/// Judges the answer to a send.
///
/// | answer | action | effect |
/// |---|---|---|
/// | 2xx with an event id | delivered | none |
/// | 2xx without, 1xx, malformed | retry | overloaded; may be stored |
/// | 3xx, 404 `M_UNRECOGNIZED`, 404 without an errcode, 401 without one, 405,
/// 407, 410, 421, 426 without one | retry | homeserver_held |
/// | 401 `M_UNKNOWN_TOKEN`, `M_MISSING_TOKEN`, any `M_UNKNOWN_DEVICE` | log_in
/// | none | | 401, 403 `M_USER_LOCKED`, `M_USER_DEACTIVATED`,
/// `M_USER_SUSPENDED`, `M_CONSENT_NOT_GIVEN`, `M_RESOURCE_LIMIT_EXCEEDED`, any
/// other 401 | retry | account_held | | 403 `M_FORBIDDEN` with "not in room" |
/// check_membership | none | | 403 without an errcode, 408, 425, 5xx | retry |
/// overloaded | | 413 | dead_letter | none | | 429 | retry | limited | | 500
/// with an errcode | retry, uses an attempt | room; may be stored | | other 4xx
/// without an errcode | retry, uses an attempt | room | | other 4xx |
/// dead_letter | none | | no connection, name, tls | retry | overloaded | |
/// time-out, reset, 502, 504 | retry | overloaded; may be stored | | aborted |
/// retry | unknown; may be stored |
///
/// @param attempts_used Answers before this one that used an attempt; the last
/// of `send_attempts_max` makes a dead letter of the send.
/// Source: the table of the realm rules, with D7, E5 and Q24, Q35, Q36.
[[nodiscard]] send_verdict judge_send(const send_answer& answer,
                                      uint32_t attempts_used);

/// What a login came to.
enum class login_result : uint8_t {
  logged_in,
  retry,   ///< Back-pressure, like that of a send (Q34).
  refused, ///< These credentials are of no use: hold the account.
};
BOOST_DESCRIBE_ENUM(login_result, logged_in, retry, refused)

/// A login, judged. Its effect is that of a send with the same answer.
struct login_verdict {
  login_result result = login_result::retry;
  pause_effect effect = pause_effect::overloaded;
};
BOOST_DESCRIBE_STRUCT(login_verdict, (), (result, effect))

/// @param has_token The body holds an access token.
[[nodiscard]] login_verdict judge_login(const send_answer& answer,
                                        bool has_token);

/// Homeservers remember ids of transactions for a day; with an hour's margin a
/// send that is older is no retry any more but a new event (D9).
inline constexpr auto send_id_age_max = std::chrono::hours{23};

/// Whether a send that is bound and has no outcome is `uncertain` now. The bind
/// counts as the first attempt.
[[nodiscard]] bool is_uncertain(stored_time bound_at, stored_time now) noexcept;

} // namespace weir::policy
