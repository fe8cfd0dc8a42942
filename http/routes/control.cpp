#include "http/routes/control.hpp"

#include "http/matrix_reply.hpp"
#include "http/query.hpp"
#include "http/router.hpp"
#include "http/routes/listing.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <ctime>

namespace weir {

namespace {

using nlohmann::json;

/// It stands in rows and logs for long.
constexpr size_t reason_bytes_max = 200;
/// Longer than any id that Weir makes.
constexpr size_t txn_bytes_max = 64;
/// When a command that found no room among others may be tried again.
constexpr std::chrono::seconds come_back{5};

/// A word that is not understood must not pass for "no": somebody meant "yes".
expected<bool> yes_or_no(std::string_view name, std::string_view text) {
  if (text != "true" && text != "false")
    return fail(ec::invalid_argument, std::string{name} + " is true or false");
  return text == "true";
}

struct named_verb {
  std::string_view name;
  queue_verb verb;
};
constexpr std::array verbs{
  named_verb{"pause", queue_verb::pause},
  named_verb{"resume", queue_verb::resume},
  named_verb{"retry", queue_verb::retry},
  named_verb{"skip", queue_verb::skip},
  named_verb{"retire", queue_verb::retire},
};

expected<void> read_parameter(const query_parameter& given,
                              queue_command& into) {
  if (given.name == "by" && !given.value.empty()) {
    WEIR_TRY(into.by, asker_name(given.value));
  } else if (given.name == "reason") {
    WEIR_TRY(into.reason, one_line("reason", given.value, reason_bytes_max));
  } else if (given.name == "txn") {
    WEIR_TRY(into.txn.value, one_line("txn", given.value, txn_bytes_max));
  } else if (given.name == "force") {
    WEIR_TRY(into.force, yes_or_no("force", given.value));
  }
  return ok();
}

/// One row of what a command may end with.
struct ending {
  command_result result;
  int status;
  std::string_view errcode; ///< Empty: it is an answer and no refusal.
  std::string_view says;
};

constexpr ending endings[] = {
  {command_result::nothing_owed, 200, {}, "Nothing is owed: nothing to try."},
  {command_result::paused, 409, "ORG.WEIR.PAUSED",
   "The queue is paused; resume it first"},
  {command_result::bridge_asked, 409, "ORG.WEIR.BRIDGE_ASKED",
   "The bridge asked for a pause; only force sends sooner"},
  {command_result::not_current, 409, "ORG.WEIR.NOT_CURRENT",
   "Nothing was changed: that transaction is not the pinned one"},
  {command_result::delivered, 409, "ORG.WEIR.NOT_CURRENT",
   "Nothing was changed: that transaction was delivered meanwhile"},
  {command_result::no_room, 409, "ORG.WEIR.NO_ROOM",
   "Nothing was changed: there is no room for its dead letters; replay or drop "
   "some first, see weir dead-letters"},
  {command_result::not_damaged, 409, "ORG.WEIR.NOT_DAMAGED",
   "Nothing was changed: only a damaged transaction gets another id, since the "
   "bridge would be sent this one twice"},
  {command_result::in_flight, 409, "ORG.WEIR.IN_FLIGHT",
   "Nothing was changed: what was sent has neither been answered nor been "
   "ended in time; try again"},
  {command_result::busy, 503, "ORG.WEIR.BUSY",
   "Nothing was changed: too many commands wait for this queue"},
  {command_result::draining, 503, "ORG.WEIR.DRAINING",
   "Nothing was changed: Weir is about to end"},
};

std::string says_done(const queue_command& what, const command_done& done) {
  const std::string_view sending
    = done.sending ? " What is in flight is finished." : "";
  switch (what.verb) {
  case queue_verb::pause: return fmt::format("Paused.{}", sending);
  case queue_verb::resume: return "Resumed.";
  case queue_verb::retry: return "It is tried now.";
  case queue_verb::skip:
    return fmt::format("Skipped {}: {} elements are dead letters.",
                       what.txn.value, done.elements);
  case queue_verb::retire:
    return fmt::format("Retired {}: {} elements go out under a new id.",
                       what.txn.value, done.elements);
  }
  return {};
}

std::string moment(stored_time at) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(static_cast<std::time_t>(at.ms / 1'000)));
}

std::string says_paused(const std::optional<halt>& by) {
  if (!by)
    return "It was paused already.";
  return fmt::format("It was paused already by {} since {}{}{}.", by->by,
                     moment(by->since), by->reason.empty() ? "" : ": ",
                     by->reason);
}

std::string says_already(const queue_command& what, const command_done& done) {
  switch (what.verb) {
  case queue_verb::pause: return says_paused(done.halted);
  case queue_verb::resume: return "It was not paused.";
  default:
    return done.sending ? "It is being sent right now."
                        : "Nothing holds it up: it is sent at once.";
  }
}

json done_json(const queue_command& what, const command_done& done) {
  json body{{"appservice", what.appservice.value},
            {"verb", to_string(what.verb)},
            {"changed", done.result == command_result::done},
            {"command", done.id},
            {"sending", done.sending},
            {"pinned_txn", done.current.value},
            {"elements", done.elements}};
  if (done.halted) {
    body["paused_by"] = done.halted->by;
    body["paused_since_ms"] = done.halted->since.ms;
  }
  return body;
}

http_response refused(const ending& how, const command_done& done) {
  std::string error{how.says};
  if (how.result == command_result::bridge_asked)
    error += "; it is over at " + moment(done.until);
  if (!done.current.value.empty())
    error += "; the pinned one is " + done.current.value;
  else if (how.errcode == "ORG.WEIR.NOT_CURRENT")
    error += "; nothing is pinned now";
  json body{{"errcode", how.errcode}, {"error", error}};
  if (how.errcode == "ORG.WEIR.NOT_CURRENT") {
    body["pinned_txn"] = done.current.value;
    body["delivered"] = done.result == command_result::delivered;
  }
  if (how.result == command_result::bridge_asked)
    body["until_ms"] = done.until.ms;
  if (!done.current.value.empty())
    body["pinned_txn"] = done.current.value;
  auto response = json_reply(how.status, dumped(body));
  if (how.status == 503)
    response.fields.push_back(
      {"Retry-After", std::to_string(come_back.count())});
  return response;
}

http_response not_served(bool known) {
  return known ? matrix_error(409, "ORG.WEIR.NO_URL",
                              "It has url: null: it is sent "
                              "nothing")
               : matrix_error(404, "M_NOT_FOUND",
                              "The configuration names no such appservice");
}

http_response answered(const queue_command& what, const command_done& done) {
  const auto how = std::find_if(
    std::begin(endings), std::end(endings),
    [&](const ending& each) { return each.result == done.result; });
  if (how != std::end(endings) && !how->errcode.empty())
    return refused(*how, done);
  auto body = done_json(what, done);
  body["says"] = how != std::end(endings) ? std::string{how->says}
    : done.result == command_result::done ? says_done(what, done)
                                          : says_already(what, done);
  return json_ok(dumped(body));
}

} // namespace

std::optional<queue_path> parse_queue_path(std::string_view path) {
  constexpr std::string_view prefix = "/queues/";
  if (!path.starts_with(prefix))
    return std::nullopt;
  path.remove_prefix(prefix.size());
  const auto slash = path.find('/');
  const auto id = path.substr(0, slash);
  const auto verb
    = slash == path.npos ? std::string_view{} : path.substr(slash + 1);
  if (id.empty() || verb.find('/') != verb.npos
      || (slash != path.npos && verb.empty()))
    return std::nullopt;
  return queue_path{percent_decoded(id), std::string{verb}};
}

expected<queue_command> parse_command(const queue_path& path,
                                      std::string_view query) {
  const auto verb
    = std::find_if(verbs.begin(), verbs.end(), [&](const named_verb& each) {
        return each.name == path.verb;
      });
  if (verb == verbs.end())
    return fail(ec::not_found, "no such command");
  queue_command what;
  what.appservice = {path.id};
  what.verb = verb->verb;
  what.by = "admin";
  for (const auto& given : read_query(query)) {
    WEIR_TRY(read_parameter(given, what));
  }
  const bool names_one
    = what.verb == queue_verb::skip || what.verb == queue_verb::retire;
  if (names_one && what.txn.value.empty())
    return fail(ec::invalid_argument,
                "txn is missing: it names the transaction that is meant, which "
                "is pinned_txn of GET /queues/ID/explain");
  return what;
}

expected<read_queues> parse_queues_query(std::string_view query) {
  WEIR_TRY(const auto asked, parse_page_query(query));
  return read_queues{asked.after, asked.rows_max};
}

expected<read_commands> parse_commands_query(std::string_view query) {
  read_commands request;
  for (const auto& [name, value] : read_query(query)) {
    if (name == "before" && !value.empty()) {
      WEIR_TRY(request.before, whole_number(name, value));
    } else if (name == "limit" && !value.empty()) {
      WEIR_TRY(request.rows_max, page_size(value));
    }
  }
  return request;
}

http_response command_reply(const queue_command& what,
                            const expected<command_done>& done, bool known) {
  if (!done)
    return done_or_not();
  if (done.value().result == command_result::not_served)
    return not_served(known);
  return answered(what, done.value());
}

policy::queue_facts facts_of(const queue_view& view,
                             const queue_surroundings& around) {
  policy::queue_facts facts;
  facts.configured = around.configured;
  facts.has_url = around.has_url;
  facts.full = around.full;
  facts.paused = view.row.halted.has_value();
  if (view.row.halted) {
    facts.paused_by = view.row.halted->by;
    facts.pause_reason = view.row.halted->reason;
  }
  facts.state = view.status ? view.status->state : "flowing";
  facts.cause = view.status ? view.status->cause : "";
  facts.bridge_asked = view.row.paused_by == pause_cause::peer;
  facts.sending = view.status && view.status->sending_since != stored_time{};
  facts.owed = view.row.owed_events + view.row.owed_others;
  return facts;
}

std::string queues_json(json queues, std::optional<int64_t> next,
                        stored_time as_of) {
  json page{
    {"queues", std::move(queues)}, {"next", nullptr}, {"as_of_ms", as_of.ms}};
  if (next)
    page["next"] = *next;
  return dumped(page);
}

stored_time since_of(policy::queue_cause cause, const queue_view& view) {
  const auto said = view.status.value_or(queue_status_row{});
  switch (cause) {
  case policy::queue_cause::store_away:
  case policy::queue_cause::no_url:
  case policy::queue_cause::full: return {};
  case policy::queue_cause::not_configured: return view.row.removed_at;
  case policy::queue_cause::sending: return said.sending_since;
  case policy::queue_cause::paused:
    return view.row.halted ? view.row.halted->since : stored_time{};
  default: return said.since;
  }
}

std::string explain_json(json queue, const policy::explanation& explained,
                         stored_time as_of, stored_time since) {
  queue["explanation"] = {{"cause", policy::to_string(explained.cause)},
                          {"since_ms", since.ms},
                          {"why", explained.why},
                          {"next", explained.next},
                          {"todo", explained.todo}};
  queue["as_of_ms"] = as_of.ms;
  return dumped(queue);
}

std::string commands_json(std::span<const command_row> rows, uint64_t asked) {
  auto list = json::array();
  for (const auto& row : rows)
    list.push_back({{"id", row.id},
                    {"target", row.target},
                    {"verb", row.verb},
                    {"by", row.by},
                    {"at_ms", row.at.ms},
                    {"result", row.result}});
  json page{{"commands", std::move(list)}, {"before", nullptr}};
  if (!rows.empty() && rows.size() >= asked)
    page["before"] = rows.front().id;
  return dumped(page);
}

} // namespace weir
