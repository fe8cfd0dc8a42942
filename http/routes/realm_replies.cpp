#include "http/routes/realm_replies.hpp"

#include "actors/operations/realm_reads.hpp"
#include "http/matrix_reply.hpp"
#include "http/routes/listing.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace weir {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// What a refused offer is told.
struct refusal_text {
  int status;
  std::string_view errcode;
  std::string_view error;
};

std::optional<refusal_text> refusal_of(offer_result how) {
  switch (how) {
  case offer_result::queued:
  case offer_result::merged:
  case offer_result::replayed: break;
  case offer_result::key_reused:
    return refusal_text{409, "ORG.WEIR.KEY_REUSED",
                        "this key stands for another event"};
  case offer_result::too_large:
    return refusal_text{413, "M_TOO_LARGE",
                        "the content is over 57344 bytes and cannot be cut"};
  case offer_result::realm_full:
    return refusal_text{429, "M_LIMIT_EXCEEDED",
                        "the realm has as much queued as it may"};
  case offer_result::all_full:
    return refusal_text{503, "ORG.WEIR.CAPACITY",
                        "all realms together have as much queued as they may"};
  case offer_result::held:
    return refusal_text{429, "ORG.WEIR.ORDER_HELD",
                        "an event before it was refused: send both again"};
  }
  return std::nullopt;
}

std::optional<milliseconds> wait_of(offer_result how, const room_again& again) {
  if (how == offer_result::realm_full || how == offer_result::held)
    return std::max<milliseconds>(again.in_realm, 1s);
  if (how == offer_result::all_full)
    return std::max<milliseconds>(again.in_all, 1s);
  return std::nullopt;
}

void put_retry_after(http_response& into, milliseconds after) {
  const auto seconds
    = std::max(1s, std::chrono::ceil<std::chrono::seconds>(after));
  into.fields.push_back({"Retry-After", std::to_string(seconds.count())});
}

json text_or_null(const std::string& text) {
  return text.empty() ? json{} : json(text);
}

json time_or_null(stored_time when) {
  return when == stored_time{} ? json{} : json(when.ms);
}

int64_t age_ms(stored_time since, stored_time now) {
  return since == stored_time{} ? 0
                                : std::max<int64_t>((now - since).count(), 0);
}

std::string_view class_name(realm_class of) {
  switch (of) {
  case realm_class::completion: return "completion";
  case realm_class::progress: return "progress";
  case realm_class::lossy: break;
  }
  return "lossy";
}

json send_json(const realm_send_row& row) {
  const bool is_open = row.outcome == send_outcome::none;
  return {{"room_id", row.room.value},
          {"state", is_open ? "queued" : to_string(row.outcome)},
          {"event_id", text_or_null(row.remote_id)},
          {"attempts", row.attempts},
          {"cause", text_or_null(row.cause)},
          {"over_at_ms", time_or_null(row.over_at)}};
}

/// The last room of a page behind which there are more.
template <class Row>
json next_room(const std::vector<Row>& rows, bool more) {
  return more && !rows.empty() ? json(rows.back().room.value) : json{};
}

json outcome_json(const outcome_row& row) {
  const auto slash = row.subject.find('/');
  json told{{"realm", operations::realm_of(row)},
            {"event_id", row.subject.substr(0, slash)},
            {"room_id", nullptr},
            {"outcome", row.result},
            {"detail", text_or_null(row.detail)},
            {"at_ms", row.at.ms}};
  if (slash != std::string::npos)
    told["room_id"] = row.subject.substr(slash + 1);
  return told;
}

} // namespace

http_response wait_reply(int status, std::string_view errcode,
                         std::string_view text, milliseconds retry_after) {
  auto response = json_reply(status,
                             dumped({{"errcode", errcode},
                                     {"error", text},
                                     {"retry_after_ms", retry_after.count()}}));
  put_retry_after(response, retry_after);
  return response;
}

http_response token_reply(token_refusal why) {
  const auto told = answer_to(why);
  json body{{"errcode", told.errcode}, {"error", told.text}};
  if (!told.reason.empty())
    body["reason"] = told.reason;
  if (told.retry_after > 0ms)
    body["retry_after_ms"] = told.retry_after.count();
  auto response = json_reply(told.status, dumped(body));
  if (told.retry_after > 0ms)
    put_retry_after(response, told.retry_after);
  return response;
}

offer_answer answer_of(const offer_taken& taken, const room_again& again,
                       const std::string& token) {
  offer_answer made;
  made.taken = taken;
  made.again = again;
  const auto refused = refusal_of(taken.result);
  if (refused)
    made.status = refused->status;
  else if (taken.result == offer_result::replayed)
    made.status = 200;
  if (!refused)
    made.token = token;
  return made;
}

json offer_answer::body() const {
  if (const auto refused = refusal_of(taken.result)) {
    json told{{"errcode", refused->errcode}, {"error", refused->error}};
    if (const auto wait = wait_of(taken.result, again))
      told["retry_after_ms"] = wait->count();
    return told;
  }
  return {{"event_id", taken.event_id},
          {"realm_seq", taken.seq},
          {"state", to_string(taken.state)},
          {"merged_into", text_or_null(taken.merged_into)},
          {"replayed", taken.result == offer_result::replayed},
          {"parts", taken.parts},
          {"token", text_or_null(token)}};
}

http_response offer_reply(const offer_answer& what) {
  auto response = json_reply(what.status, dumped(what.body()));
  if (const auto wait = wait_of(what.taken.result, what.again))
    put_retry_after(response, *wait);
  return response;
}

http_response audience_reply(const realm_id& realm,
                             const realm_audience_changed& done,
                             const std::string& token) {
  switch (done.result) {
  case audience_result::version_conflict:
    return json_reply(
      409,
      dumped({{"errcode", "ORG.WEIR.VERSION_CONFLICT"},
              {"error", "the audience is another version by now"},
              {"audience_version", done.version}}));
  case audience_result::busy:
    return wait_reply(503, "ORG.WEIR.BUSY",
                      "another request has replaced the audience meanwhile",
                      1s);
  case audience_result::unknown:
    return matrix_error(404, "M_NOT_FOUND", "no such realm");
  case audience_result::done:
  case audience_result::more: break;
  }
  auto response = json_ok(dumped({{"realm", realm.value},
                                  {"audience", done.rooms},
                                  {"audience_version", done.version},
                                  {"added", done.added},
                                  {"removed", done.removed},
                                  {"token", text_or_null(token)}}));
  response.fields.push_back(
    {"ETag", "\"" + std::to_string(done.version) + "\""});
  return response;
}

json event_json(const realm_event_row& row) {
  const bool is_over = row.state == realm_event_state::over;
  return {{"event_id", row.event_id},
          {"realm_seq", row.seq},
          {"part", row.part},
          {"parts", row.parts},
          {"key", row.key},
          {"type", row.type},
          {"class", class_name(row.importance)},
          {"state", to_string(row.state)},
          {"complete", is_over},
          {"outcome",
           row.how == send_outcome::none ? json{} : json(to_string(row.how))},
          {"merged_into", text_or_null(row.merged_into)},
          {"accepted_at_ms", row.accepted_at.ms},
          {"expires_at_ms", time_or_null(row.expires_at)},
          {"over_at_ms", time_or_null(row.over_at)},
          {"targets", row.targets},
          {"unsettled", row.unsettled},
          {"delivered", row.delivered},
          {"failed", row.failed}};
}

http_response event_reply(const realm_answer& found) {
  if (!found.facts.event)
    return matrix_error(404, "M_NOT_FOUND", "no such event in this realm");
  auto body = event_json(*found.facts.event);
  auto rooms = json::array();
  for (const auto& row : found.facts.sends)
    rooms.push_back(send_json(row));
  body["rooms"] = std::move(rooms);
  body["next"] = next_room(found.facts.sends, found.facts.more);
  body["token"] = found.token;
  return json_ok(dumped(body));
}

http_response rooms_reply(const realm_id& realm, const realm_answer& found) {
  const auto& facts = found.facts;
  auto rooms = json::array();
  for (const auto& row : facts.rooms)
    rooms.push_back({{"room_id", row.room.value},
                     {"added_in", row.added_in},
                     {"suspended_at_ms", time_or_null(row.suspended_at)}});
  const auto version = facts.realm ? facts.realm->audience_version : 0;
  auto response
    = json_ok(dumped({{"realm", realm.value},
                      {"audience", facts.realm ? facts.realm->audience : 0},
                      {"audience_version", version},
                      {"rooms", std::move(rooms)},
                      {"next", next_room(facts.rooms, facts.more)},
                      {"token", found.token}}));
  response.fields.push_back({"ETag", "\"" + std::to_string(version) + "\""});
  return response;
}

json realm_json(const realm_row& row, stored_time oldest, stored_time as_of) {
  return {{"realm", row.id.value},
          {"audience", row.audience},
          {"audience_version", row.audience_version},
          {"queued_events", row.open_events},
          {"queued_bytes", row.open_bytes},
          {"unbound_events", row.unbound},
          {"unsettled_sends", row.unsettled},
          {"oldest_queued_age_ms", age_ms(oldest, as_of)},
          {"dead_letters", row.dead_letters},
          {"last_settled_seq", row.last_over},
          {"delivered", row.delivered},
          {"merged", row.merged},
          {"dropped", row.dropped},
          {"halted", row.halted.has_value()},
          {"halted_by", row.halted ? row.halted->by : ""},
          {"halt_reason", row.halted ? row.halted->reason : ""},
          {"halted_since_ms", row.halted ? row.halted->since.ms : 0},
          {"deleted", row.deleted_at != stored_time{}}};
}

http_response status_reply(const realm_id& realm, const realm_answer& found,
                           const json& pace) {
  const auto& facts = found.facts;
  realm_row row;
  row.id = realm;
  if (facts.realm)
    row = *facts.realm;
  auto body = realm_json(row, facts.oldest_accepted_at, found.as_of);
  body["paused_until"] = nullptr;
  body["account_held"] = "";
  if (facts.account) {
    if (facts.account->not_before > found.as_of)
      body["paused_until"] = facts.account->not_before.ms;
    body["account_held"] = facts.account->held_cause;
  }
  body["as_of_ms"] = found.as_of.ms;
  body["token"] = found.token;
  body.update(pace);
  body["why"] = why_of(body);
  return json_ok(dumped(body));
}

std::string why_of(const json& status) {
  const auto held = status.value("account_held", "");
  const auto limit = status.value("limited_by", "");
  if (status.value("halted", false))
    return "An operator paused it: weir realms resume ends that.";
  if (status.value("queued_events", uint64_t{0}) == 0)
    return "Nothing is queued.";
  if (!held.empty())
    return "The homeserver refuses the account (" + held
      + "): nothing is sent for any realm until that is mended.";
  if (status.value("homeserver_held", false))
    return "What answers at the homeserver's url is none: nothing is sent "
           "until that is mended.";
  if (!status["paused_until"].is_null() || limit == "pause")
    return "The homeserver asked for a pause, or does not answer.";
  if (status.value("audience", uint64_t{0}) == 0)
    return "Its audience is empty: its events wait for a first room, or have "
           "rooms of their own.";
  if (limit == "rate" || limit == "cap")
    return "The homeserver is sent as much as the configuration allows "
           "(homeserver.pace, "
      + limit + ").";
  if (limit == "rooms")
    return "All rooms that it could send to are busy, or wait after an error.";
  return "Its rooms are sent to in turn.";
}

http_response cancelled_reply(const realm_event_cancelled& done,
                              const std::string& token) {
  if (!done.known)
    return matrix_error(404, "M_NOT_FOUND", "no such event in this realm");
  return json_ok(dumped({{"already_over", done.already_over},
                         {"unsettled", done.unsettled},
                         {"token", text_or_null(token)}}));
}

http_response feed_reply(const feed_answer& page) {
  auto rows = json::array();
  for (const auto& row : page.rows)
    rows.push_back(outcome_json(row));
  return json_ok(dumped(
    {{"outcomes", std::move(rows)}, {"more", page.more}, {"next", page.next}}));
}

} // namespace weir
