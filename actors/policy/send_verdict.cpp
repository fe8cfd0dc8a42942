#include "actors/policy/send_verdict.hpp"

#include <algorithm>
#include <array>

namespace weir::policy {

namespace {

using namespace std::string_view_literals;

constexpr std::array session_gone{"M_UNKNOWN_TOKEN"sv, "M_MISSING_TOKEN"sv};
constexpr std::array account_held{"M_USER_LOCKED"sv, "M_USER_DEACTIVATED"sv,
                                  "M_USER_SUSPENDED"sv, "M_CONSENT_NOT_GIVEN"sv,
                                  "M_RESOURCE_LIMIT_EXCEEDED"sv};
/// By definition about the way to the homeserver, never about an event.
constexpr std::array on_the_way{401, 404, 405, 407, 410, 421, 426};
constexpr std::array maybe_stored_statuses{500, 502, 504};
/// What else may be told by its name; others would make a label of whatever a
/// peer says.
constexpr std::array told_apart{
  "M_FORBIDDEN"sv,      "M_UNRECOGNIZED"sv,  "M_TOO_LARGE"sv,
  "M_BAD_JSON"sv,       "M_INVALID_PARAM"sv, "M_DUPLICATE_ANNOTATION"sv,
  "M_LIMIT_EXCEEDED"sv, "M_UNKNOWN"sv,       "M_NOT_FOUND"sv,
  "M_UNKNOWN_DEVICE"sv};

template <class List, class Value>
bool holds(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string lower(std::string_view errcode) {
  std::string name{errcode.substr(2)};
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

std::string cause_of(const send_answer& answer) {
  if (answer.status == 0)
    return std::string{to_string(answer.failure)};
  const auto& code = answer.errcode;
  if (holds(session_gone, code) || holds(account_held, code)
      || holds(told_apart, code))
    return lower(code);
  if (holds(maybe_stored_statuses, answer.status) || answer.status == 503)
    return "http_" + std::to_string(answer.status);
  return "http_" + std::to_string(answer.status / 100) + "xx";
}

send_verdict without_status(no_answer failure) {
  switch (failure) {
  case no_answer::aborted:
    return {send_action::retry, pause_effect::unknown, false, true, {}};
  case no_answer::name:
  case no_answer::refused:
  case no_answer::tls:
  case no_answer::connect_timeout:
    return {send_action::retry, pause_effect::overloaded, false, false, {}};
  default:
    return {send_action::retry, pause_effect::overloaded, false, true, {}};
  }
}

send_verdict final_answer(send_action action) {
  return {action, pause_effect::none, false, false, {}};
}

send_verdict held(pause_effect whom) {
  return {send_action::retry, whom, false, false, {}};
}

/// A 4xx that a homeserver has said.
send_verdict refused(const send_answer& answer) {
  // A device that somebody has deleted is made anew by a sign-in.
  if ((answer.status == 401 && holds(session_gone, answer.errcode))
      || answer.errcode == "M_UNKNOWN_DEVICE")
    return final_answer(send_action::log_in);
  if (answer.status == 401
      || (answer.status == 403 && holds(account_held, answer.errcode)))
    return held(pause_effect::account_held);
  if (answer.status == 404 && answer.errcode == "M_UNRECOGNIZED")
    return held(pause_effect::homeserver_held);
  if (answer.status == 403 && answer.errcode == "M_FORBIDDEN"
      && answer.error.find("not in room") != std::string::npos)
    return final_answer(send_action::check_membership);
  return final_answer(send_action::dead_letter);
}

/// A 4xx without an errcode, so perhaps not of the homeserver.
send_verdict refused_on_the_way(int status) {
  if (status == 403 || status == 408 || status == 425)
    return {send_action::retry, pause_effect::overloaded, false, false, {}};
  if (holds(on_the_way, status))
    return held(pause_effect::homeserver_held);
  return {send_action::retry, pause_effect::room, true, false, {}};
}

send_verdict by_status(const send_answer& answer) {
  const int status = answer.status;
  const bool is_matrix = answer.has_json && !answer.errcode.empty();
  if (status == 413)
    return final_answer(send_action::dead_letter);
  if (status == 429)
    return {send_action::retry, pause_effect::limited, false, false, {}};
  if (status == 500 && is_matrix)
    return {send_action::retry, pause_effect::room, true, true, {}};
  switch (status / 100) {
  case 2:
    if (answer.has_json && answer.has_event_id)
      return final_answer(send_action::delivered);
    return {send_action::retry, pause_effect::overloaded, false, true, {}};
  case 3: return held(pause_effect::homeserver_held);
  case 4: return is_matrix ? refused(answer) : refused_on_the_way(status);
  case 5:
    return {send_action::retry,
            pause_effect::overloaded,
            false,
            holds(maybe_stored_statuses, status),
            {}};
  default: return without_status(no_answer::malformed);
  }
}

} // namespace

send_verdict judge_send(const send_answer& answer, uint32_t attempts_used) {
  auto judged
    = answer.status != 0 ? by_status(answer) : without_status(answer.failure);
  if (judged.uses_attempt && attempts_used + 1 >= send_attempts_max)
    judged.action = send_action::dead_letter;
  judged.cause
    = judged.action == send_action::delivered ? "delivered" : cause_of(answer);
  return judged;
}

login_verdict judge_login(const send_answer& answer, bool has_token) {
  if (answer.status / 100 == 2 && has_token)
    return {login_result::logged_in, pause_effect::none};
  const auto judged = judge_send(answer, 0);
  if (judged.action == send_action::retry
      && judged.effect != pause_effect::account_held)
    return {login_result::retry,
            judged.effect == pause_effect::room ? pause_effect::overloaded
                                                : judged.effect};
  return {login_result::refused, pause_effect::account_held};
}

bool is_uncertain(stored_time bound_at, stored_time now) noexcept {
  return now - bound_at >= send_id_age_max;
}

} // namespace weir::policy
