#include "schema/metrics.hpp"

#include "schema/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace weir {

namespace {

constexpr auto counter = metric_kind::counter;
constexpr auto gauge = metric_kind::gauge;
constexpr auto histogram = metric_kind::histogram;

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
  {"weir_appservice_in_flight", gauge, "appservice",
   "1 while a transaction, or a ping of Weir's own, is under way to the "
   "bridge."},
  {"weir_appservice_in_flight_seconds", gauge, "appservice",
   "How long it is under way; 0 when nothing is."},
  {"weir_appservice_attempts", gauge, "appservice",
   "Sends of the pinned transaction so far, by this process."},
  {"weir_appservice_last_error", gauge, "appservice",
   "1 for the class of the last failure, such as http_503 or timeout, as in "
   "weir status; it stays after a recovery. 0 and class none: there was none.",
   "class"},
  {"weir_appservice_resting", gauge, "appservice",
   "1 while the queue rests after a refusal."},
  {"weir_appservice_blocked", gauge, "appservice",
   "1 while the queue stands still until a person acts."},
  {"weir_appservice_paused", gauge, "appservice",
   "1 while an operator has it paused."},
  {"weir_appservice_dead_letters", gauge, "appservice",
   "Elements the bridge rejected for good: see weir dead-letters."},
  {"weir_appservice_dead_letter_bytes", gauge, "appservice",
   "What they take; all appservices together have one bound."},
  {"weir_appservice_quarantined_bodies", gauge, "appservice",
   "Bodies kept that are no transactions; equal ones are one."},
  {"weir_appservice_quarantine_bytes", gauge, "appservice",
   "What they take; all appservices together have one bound."},
  {"weir_appservice_delivered_events_total", counter, "appservice",
   "Events acknowledged by the bridge."},
  {"weir_appservice_delivered_transactions_total", counter, "appservice",
   "Transactions acknowledged by the bridge."},
  // Of all of them.
  {"weir_appservices", gauge, "", "Appservices configured."},
  {"weir_removed_appservices", gauge, "",
   "Appservices that the configuration does not name and of which something "
   "is left; weir status names them. They have no figures of their own."},
  {"weir_removed_owed_elements", gauge, "", "Elements they are owed."},
  {"weir_removed_owed_bytes", gauge, "", "Bytes they are owed."},
  {"weir_kept_bytes", gauge, "kind",
   "What is kept of all appservices: dead_letters, quarantine."},
  {"weir_kept_bytes_max", gauge, "kind",
   "Its bound. At it dead letters block their queue, and further bodies are "
   "not kept."},
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
  {"weir_realms", gauge, "state",
   "Realms: known, and of these paused (by an operator)."},
  {"weir_realm_queued_events", gauge, "",
   "Events of all realms that are not over. Told, as the next four, while "
   "the store is there."},
  {"weir_realm_queued_bytes", gauge, "",
   "Their bytes, with 512 for each. Their bound is "
   "realms.queued_bytes_max_all."},
  {"weir_realm_oldest_age_seconds", gauge, "",
   "Age of the oldest event that is not over. Minutes mean that a room, the "
   "homeserver or a pause holds something up: weir realms list."},
  {"weir_realm_unsettled_sends", gauge, "",
   "Sends to rooms that are bound and have no outcome."},
  {"weir_realm_dead_letters", gauge, "",
   "Sends that the homeserver refused for good, kept for a week: weir realms "
   "dead-letters."},
  {"weir_producer_requests_total", counter, "result",
   "Requests of producers: all, and of these unauthorised, forbidden "
   "(another's realm), malformed, failed (the store was away), "
   "token_refused, wait_refused (too many waited)."},
  {"weir_realm_events_total", counter, "result",
   "Events that producers handed in: queued, merged, replayed (their key was "
   "known), key_reused, too_large, realm_full, all_full, held (behind a "
   "refused line)."},
  {"weir_quarantine_bodies_total", counter, "result",
   "Bodies that are no transactions: kept, full (not kept for want of room), "
   "failed (the store did not take them)."},
  {"weir_requests_refused_total", counter, "side",
   "Requests turned away, of homeserver and admin: unauthorised, unrecognised "
   "and bridge_busy (homeserver alone; the latter is what was not passed on to "
   "a bridge that leaves too much unanswered); before anything was asked of "
   "Weir, malformed (what is no HTTP for it), too_large (head or body), "
   "too_slow, busy (no room for the body in time).",
   "reason"},
  {"weir_proxied_total", counter, "result",
   "Requests passed on to bridges: sent, unreachable."},
  {"weir_connections_displaced_total", counter, "side",
   "Connections without a request that were closed at the bound, since a new "
   "one came: homeserver, admin."},
  {"weir_connections", gauge, "side",
   "Open connections: homeserver, admin, bridges, bridges_idle."},
  {"weir_listener_connections", gauge, "side",
   "Open connections of homeserver and admin by what they do: handshake "
   "(TLS), idle, reading_head, held (unread, for a queue or for room), "
   "reading_body, answering (Weir, or a bridge that was asked, is at work), "
   "writing, closing.",
   "state"},
  {"weir_certificate_refused", gauge, "side",
   "1 while the certificate or key of homeserver or admin is wrong; the pair "
   "before is shown."},
  {"weir_certificate_expires_seconds", gauge, "side",
   "When the certificate that is shown ends, in seconds since 1970; 0 without "
   "TLS."},
  {"weir_bridge_requests_in_flight", gauge, "",
   "Requests to bridges and to the homeserver under way, of all kinds."},
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
   "Rows that those operations wrote, about."},
  {"weir_store_commit_seconds", histogram, "",
   "Time of each batch, from its first statement to the end of its commit."},
  {"weir_store_commit_rows", histogram, "", "Rows of each batch, about."},
  {"weir_store_file_bytes", gauge, "file",
   "Size of SQLite's files: database, log. The log over 128 MiB: something "
   "reads for long. 0 on PostgreSQL."},
  {"weir_store_database_bytes", gauge, "",
   "Size of the database, whatever it is; asked every five minutes at most."},
  {"weir_store_failed_batches_total", counter, "", "Batches that failed."},
  {"weir_store_expired_operations_total", counter, "",
   "Operations refused because the writer was behind."},
  {"weir_store_in_doubt_commits_total", counter, "",
   "Commits whose connection was lost; each was resolved by reading back."},
  {"weir_store_clock_jumps_total", counter, "",
   "Jumps of the database's clock that were absorbed."},
  {"weir_store_position", gauge, "", "Position of the last committed batch."},
  // The actors.
  {"weir_actors", gauge, "kind", "Live actors."},
  {"weir_actor_mailbox_depth", gauge, "kind",
   "Messages waiting in their mailboxes."},
  {"weir_actor_messages_total", counter, "kind", "Messages processed."},
  {"weir_actor_failures_total", counter, "kind",
   "Handlers that threw; the supervisor restarted the actor."},
  {"weir_actor_threads", gauge, "", "Threads of the actor scheduler."},
  {"weir_configuration_refused", gauge, "",
   "1 when the last reload changed nothing, since something is wrong: see the "
   "log."},
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

std::string_view kind_of(const metric_family& family) {
  switch (family.kind) {
  case counter: return "counter";
  case gauge: return "gauge";
  case histogram: break;
  }
  return "histogram";
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
      "from `schema/metrics.cpp` and a\ntest compares them.\n\n"
      "Labels are bounded: `appservice` by the configured appservices, all "
      "others by\nthe code. An appservice has one series in each family with "
      "that label, from the\nfirst scrape on, and none any more when a reload "
      "has taken it out. While the\nstore does not answer, its families are "
      "left out: alert on `weir_store_writable`.\nA scrape is about 1.3 kB for "
      "each appservice, and 12 kB beside.\n\n| family | kind | label | meaning "
      "|\n|---|---|---|---|\n";
  for (const auto& family : families)
    text += fmt::format("| `{}` | {} | {} | {} |\n", family.name,
                        kind_of(family), labels_of(family), family.help);
  return text;
}

} // namespace weir
