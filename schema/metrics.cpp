#include "schema/metrics.hpp"

#include "schema/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace weir {

namespace {

constexpr auto counter = metric_kind::counter;
constexpr auto gauge = metric_kind::gauge;

constexpr metric_family families[] = {
  // One sample per configured appservice.
  {"weir_appservice_depth_events", gauge, "appservice",
   "Events owed. Rising for long: see weir status."},
  {"weir_appservice_depth_other", gauge, "appservice",
   "Elements owed that are no events (to-device, ephemeral, key counts)."},
  {"weir_appservice_bytes", gauge, "appservice", "Bytes owed."},
  {"weir_appservice_waiting_ephemeral", gauge, "appservice",
   "Ephemeral elements that wait behind all that is owed; bounded by "
   "ephemeral_max."},
  {"weir_appservice_merged_elements_total", counter, "appservice",
   "Elements that need not be sent, since a later one says it anew."},
  {"weir_appservice_dropped_ephemeral_total", counter, "appservice",
   "Ephemeral elements dropped for their age or for want of room."},
  {"weir_appservice_near_bound", gauge, "appservice",
   "1 from four fifths of a bound of the queue (events, bytes, age) until it "
   "is below seven tenths: alert on this."},
  {"weir_appservice_overflowed_elements_total", counter, "appservice",
   "Elements that became dead letters at a bound: for want of room or for "
   "their age."},
  {"weir_appservice_oldest_age_seconds", gauge, "appservice",
   "Age of the oldest element owed; alert on this."},
  {"weir_appservice_attempts", gauge, "appservice",
   "Sends of the pinned transaction so far, by this process."},
  {"weir_appservice_last_error", gauge, "appservice",
   "1 for the class of the last failure, such as http_503 or timeout, as in "
   "weir status; it stays after a recovery.",
   "class"},
  {"weir_appservice_resting", gauge, "appservice",
   "1 while the queue rests after a refusal or is blocked."},
  {"weir_appservice_blocked", gauge, "appservice",
   "1 while the queue stands still until a person acts."},
  {"weir_appservice_dead_letters", gauge, "appservice",
   "Elements the bridge rejected for good: see weir dead-letters."},
  {"weir_appservice_delivered_events_total", counter, "appservice",
   "Events acknowledged by the bridge."},
  {"weir_appservice_delivered_transactions_total", counter, "appservice",
   "Transactions acknowledged by the bridge."},
  // What the listener took in and turned away.
  {"weir_inbound_transactions_total", counter, "result",
   "Transactions from the homeserver: accepted, duplicate, id_reused, "
   "not_json, bad_json, refused."},
  {"weir_inbound_events_total", counter, "result",
   "Elements from the homeserver: accepted, repeated (seen before)."},
  {"weir_second_door_requests_total", counter, "result",
   "Requests of the second door: accepted, not_json, bad_json, too_large, "
   "refused."},
  {"weir_second_door_events_total", counter, "result",
   "Events in them: accepted, duplicate (their stream ordering was known)."},
  {"weir_quarantine_bodies_total", counter, "result",
   "Bodies that are no transactions: kept, full (not kept for want of room), "
   "failed (the store did not take them)."},
  {"weir_requests_refused_total", counter, "reason",
   "Requests turned away: unauthorised, unrecognised; before anything was "
   "asked of Weir, malformed (what is no HTTP for it), too_large (head or "
   "body), too_slow, busy (no room for the body in time)."},
  {"weir_proxied_total", counter, "result",
   "Requests passed on to bridges: sent, unreachable."},
  {"weir_connections_displaced_total", counter, "side",
   "Connections without a request that were closed at the bound, since a new "
   "one came: homeserver, admin."},
  {"weir_connections", gauge, "side",
   "Open connections: homeserver, admin, bridges, bridges_idle."},
  {"weir_held_requests", gauge, "",
   "Requests of the homeserver that are held: unread, for room in the "
   "in-flight budget or in a full queue, or read, for a store that is away."},
  {"weir_budget_bytes", gauge, "", "Bytes of request bodies in flight."},
  // The store.
  {"weir_store_writable", gauge, "",
   "1 when the last batch was committed. 0: alert, Weir takes nothing in."},
  {"weir_store_commits_total", counter, "", "Batches committed."},
  {"weir_store_operations_total", counter, "", "Operations in those batches."},
  {"weir_store_rows_total", counter, "",
   "Rows that those operations wrote, about; divide by commits."},
  {"weir_store_file_bytes", gauge, "file",
   "Size of SQLite's files: database, log. The log over 128 MiB: something "
   "reads for long. 0 on PostgreSQL."},
  {"weir_store_failed_batches_total", counter, "", "Batches that failed."},
  {"weir_store_expired_operations_total", counter, "",
   "Operations refused because the writer was behind."},
  {"weir_store_in_doubt_commits_total", counter, "",
   "Commits whose connection was lost; each was resolved by reading back."},
  {"weir_store_clock_jumps_total", counter, "",
   "Jumps of the database's clock that were absorbed."},
  {"weir_store_commit_seconds_total", counter, "",
   "Time spent in batches; divide by commits."},
  {"weir_store_position", gauge, "", "Position of the last committed batch."},
  // The actors.
  {"weir_actors", gauge, "kind", "Live actors."},
  {"weir_actor_mailbox_depth", gauge, "kind",
   "Messages waiting in their mailboxes."},
  {"weir_actor_messages_total", counter, "kind", "Messages processed."},
  {"weir_actor_failures_total", counter, "kind",
   "Handlers that threw; the supervisor restarted the actor."},
  {"weir_actor_threads", gauge, "", "Threads of the actor scheduler."},
  // The trace, see docs/traces.md.
  {"weir_trace_on", gauge, "", "1 while a trace is written."},
  {"weir_trace_records_total", counter, "", "Records of the present trace."},
  {"weir_trace_dropped_records_total", counter, "",
   "Records left out of it because the disk was behind."},
  {"weir_trace_failed", gauge, "",
   "1 when a trace ended because it could not be written: see the log."},
};

std::string labels_of(const metric_family& family) {
  std::string text;
  for (const auto label : {family.label, family.second_label})
    if (!label.empty())
      text += fmt::format("{}`{}`", text.empty() ? "" : ", ", label);
  return text;
}

} // namespace

std::span<const metric_family> metric_families() {
  return families;
}

const metric_family& metric_family_named(std::string_view name) {
  const auto* found
    = std::find_if(std::begin(families), std::end(families),
                   [&](const auto& family) { return family.name == name; });
  WEIR_ASSERT(found != std::end(families));
  return *found;
}

std::string metrics_reference() {
  std::string text
    = "# Metrics\n\n`GET /metrics` on the admin listener, with the admin or "
      "the viewer token, in\nPrometheus' text format. This page is printed "
      "from `schema/metrics.cpp` and a\ntest compares them. Labels are "
      "bounded: `appservice` by the configured\nappservices, all others by "
      "the code.\n\n| family | kind | label | meaning |\n|---|---|---|---|\n";
  for (const auto& family : families)
    text += fmt::format("| `{}` | {} | {} | {} |\n", family.name,
                        family.kind == counter ? "counter" : "gauge",
                        labels_of(family), family.help);
  return text;
}

} // namespace weir
