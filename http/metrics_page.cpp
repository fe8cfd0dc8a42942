#include "http/metrics_page.hpp"

#include "actors/probes.hpp"
#include "actors/store_probe.hpp"
#include "http/metrics_text.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace weir {

namespace {

double number(uint64_t value) {
  return static_cast<double>(value);
}

using samples = std::vector<metric_sample>;

/// One sample for each configured appservice in each family, so that the number
/// of series follows from the configuration.
void add_appservices(metrics_text& to,
                     const std::vector<appservice_figures>& all) {
  const auto families = appservice_families();
  samples each_one;
  each_one.reserve(all.size());
  for (size_t at = 0; at < families.size(); ++at) {
    each_one.clear();
    for (const auto& one : all)
      each_one.push_back({one.values[at], one.id});
    const auto before = to.size();
    to.add(families[at], each_one);
    if (at == 0) // The others are about as long.
      to.expect((to.size() - before) * (families.size() + 2));
  }
  each_one.clear();
  for (const auto& one : all)
    each_one.push_back(one.last_error.empty()
                         ? metric_sample{0, one.id, "none"}
                         : metric_sample{1, one.id, one.last_error});
  to.add("weir_appservice_last_error", each_one);
}

void add_removed(metrics_text& to, const stored_figures& stored) {
  to.add("weir_removed_appservices", number(stored.removed.appservices));
  to.add("weir_removed_owed_elements", number(stored.removed.elements));
  to.add("weir_removed_owed_bytes", number(stored.removed.bytes));
}

void add_inbound(metrics_text& to, const listener_counts& counts) {
  to.add("weir_inbound_transactions_total",
         samples{{number(counts.accepted), "accepted"},
                 {number(counts.duplicates), "duplicate"},
                 {number(counts.ids_reused), "id_reused"},
                 {number(counts.not_json), "not_json"},
                 {number(counts.bad_json), "bad_json"},
                 {number(counts.refused), "refused"}});
  to.add("weir_inbound_events_total",
         samples{{number(counts.events_accepted), "accepted"},
                 {number(counts.events_repeated), "repeated"}});
  const auto& door = counts.second_door;
  to.add("weir_second_door_requests_total",
         samples{{number(door.accepted), "accepted"},
                 {number(door.not_json), "not_json"},
                 {number(door.bad_json), "bad_json"},
                 {number(door.too_large), "too_large"},
                 {number(door.refused), "refused"}});
  to.add("weir_second_door_events_total",
         samples{{number(door.events_accepted), "accepted"},
                 {number(door.events_duplicate), "duplicate"}});
  to.add("weir_quarantine_bodies_total",
         samples{{number(counts.quarantined), "kept"},
                 {number(counts.quarantine_full), "full"},
                 {number(counts.quarantine_failed), "failed"}});
  to.add("weir_proxied_total",
         samples{{number(counts.proxied), "sent"},
                 {number(counts.unreachable), "unreachable"}});
}

void add_refused(samples& to, std::string_view side,
                 const http_server::refusals& by_http) {
  to.push_back({number(by_http.malformed), side, "malformed"});
  to.push_back({number(by_http.too_large), side, "too_large"});
  to.push_back({number(by_http.too_slow), side, "too_slow"});
  to.push_back({number(by_http.busy), side, "busy"});
}

void add_states(samples& to, std::string_view side,
                const http_server::figures& listener) {
  for (size_t at = 0; at < connection_states; ++at)
    to.push_back(
      {number(listener.by_state[at]), side, connection_state_names[at]});
}

void add_connections(metrics_text& to, const listener_counts& counts,
                     const process_figures& figures) {
  const auto& main = figures.listener;
  const auto& admin = figures.admin;
  samples refused{
    {number(counts.unauthorised), "homeserver", "unauthorised"},
    {number(counts.unrecognised), "homeserver", "unrecognised"},
    {number(counts.too_many), "homeserver", "bridge_busy"},
    {number(figures.admin_unauthorised), "admin", "unauthorised"}};
  add_refused(refused, "homeserver", main.refusals);
  add_refused(refused, "admin", admin.refusals);
  to.add("weir_requests_refused_total", refused);
  to.add("weir_connections_displaced_total",
         samples{{number(main.displaced), "homeserver"},
                 {number(admin.displaced), "admin"}});
  to.add("weir_connections",
         samples{{number(main.connections), "homeserver"},
                 {number(admin.connections), "admin"},
                 {number(figures.bridge_connections), "bridges"},
                 {number(figures.bridge_connections_idle), "bridges_idle"}});
  samples states;
  add_states(states, "homeserver", main);
  add_states(states, "admin", admin);
  to.add("weir_listener_connections", states);
  to.add("weir_certificate_refused",
         samples{{main.certificate_refused ? 1.0 : 0.0, "homeserver"},
                 {admin.certificate_refused ? 1.0 : 0.0, "admin"}});
  to.add(
    "weir_certificate_expires_seconds",
    samples{{static_cast<double>(main.certificate_expires_s), "homeserver"},
            {static_cast<double>(admin.certificate_expires_s), "admin"}});
  to.add("weir_bridge_requests_in_flight", number(figures.bridge_requests));
  to.add("weir_held_requests", number(main.held + figures.held_for_store));
  to.add("weir_budget_bytes", number(main.budget_used));
}

template <size_t Count>
metric_buckets buckets_of(const histogram_probe<Count>& from) {
  metric_buckets to;
  for (size_t at = 0; at < Count; ++at)
    to.buckets.push_back({from.bounds()[at], from.count(at)});
  to.buckets.push_back(
    {std::numeric_limits<double>::infinity(), from.count(Count)});
  to.sum = from.sum();
  return to;
}

/// What only the store itself can tell; left out while it is away.
void add_stored(metrics_text& to, const store_figures& figures) {
  to.add("weir_kept_bytes",
         samples{{number(figures.kept.dead_letter_bytes), "dead_letters"},
                 {number(figures.kept.quarantine_bytes), "quarantine"}});
  to.add("weir_store_database_bytes", number(figures.database_bytes));
}

void add_realms(metrics_text& to, const store_figures& figures) {
  const auto& realms = figures.realms;
  const auto age = realms.oldest_accepted_at == stored_time{}
    ? milliseconds{0}
    : figures.as_of - realms.oldest_accepted_at;
  to.add("weir_realms",
         samples{{number(realms.realms), "known"},
                 {number(realms.halted), "paused"}});
  to.add("weir_realm_queued_events", number(realms.open_events));
  to.add("weir_realm_queued_bytes", number(realms.open_bytes));
  to.add("weir_realm_oldest_age_seconds",
         std::chrono::duration<double>(std::max(age, milliseconds{0})).count());
  to.add("weir_realm_unsettled_sends", number(realms.unsettled));
  to.add("weir_realm_dead_letters", number(realms.dead_letters));
}

void add_producers(metrics_text& to, const process_figures& figures) {
  static const producer_counts nobody;
  const auto& counts
    = figures.producers != nullptr ? *figures.producers : nobody;
  to.add("weir_producer_requests_total",
         samples{{number(counts.requests), "all"},
                 {number(counts.unauthorised), "unauthorised"},
                 {number(counts.forbidden), "forbidden"},
                 {number(counts.malformed), "malformed"},
                 {number(counts.failed), "failed"},
                 {number(counts.tokens_refused), "token_refused"},
                 {number(counts.waits_refused), "wait_refused"}});
  to.add("weir_realm_events_total",
         samples{{number(counts.queued), "queued"},
                 {number(counts.merged), "merged"},
                 {number(counts.replayed), "replayed"},
                 {number(counts.key_reused), "key_reused"},
                 {number(counts.too_large), "too_large"},
                 {number(counts.realm_full), "realm_full"},
                 {number(counts.all_full), "all_full"},
                 {number(counts.held), "held"}});
}

void add_store(metrics_text& to, const process_figures& figures) {
  const auto& probe = process_store_probe();
  to.add("weir_kept_bytes_max",
         samples{{number(limits::dead_letter_bytes_max), "dead_letters"},
                 {number(limits::quarantine_bytes_max), "quarantine"}});
  to.add("weir_store_writable", probe.writable ? 1 : 0);
  to.add("weir_store_commits_total", number(probe.commits));
  to.add("weir_store_operations_total", number(probe.operations));
  to.add("weir_store_rows_total", number(probe.rows));
  to.add("weir_store_commit_seconds", buckets_of(probe.commit_seconds));
  to.add("weir_store_commit_rows", buckets_of(probe.commit_rows));
  to.add("weir_store_file_bytes",
         samples{{number(figures.database_bytes), "database"},
                 {number(figures.log_bytes), "log"}});
  to.add("weir_store_failed_batches_total", number(probe.failed_batches));
  to.add("weir_store_expired_operations_total",
         number(probe.expired_operations));
  to.add("weir_store_in_doubt_commits_total", number(probe.in_doubt_commits));
  to.add("weir_store_clock_jumps_total", number(probe.clock_jumps));
  to.add("weir_store_position", number(probe.position));
}

void add_actors(metrics_text& to, const process_figures& figures) {
  samples live;
  samples waiting;
  samples processed;
  samples failures;
  // A kind's name lies in the map of the probes, for good.
  process_probes().each([&](const std::string& kind, const actor_probe& probe) {
    live.push_back({static_cast<double>(probe.live), kind});
    waiting.push_back(
      {static_cast<double>(std::max<int64_t>(probe.waiting, 0)), kind});
    processed.push_back({number(probe.processed), kind});
    failures.push_back({number(probe.failures), kind});
  });
  to.add("weir_actors", live);
  to.add("weir_actor_mailbox_depth", waiting);
  to.add("weir_actor_messages_total", processed);
  to.add("weir_actor_failures_total", failures);
  to.add("weir_actor_threads", number(figures.actor_threads));
}

void add_process(metrics_text& to, const process_figures& figures) {
  to.add("weir_appservices", number(figures.appservices));
  to.add("weir_configuration_refused", figures.reload_refused ? 1 : 0);
  to.add("weir_trace_on", figures.trace.recorder.on ? 1 : 0);
  to.add("weir_trace_records_total", number(figures.trace.recorder.records));
  to.add("weir_trace_dropped_records_total",
         number(figures.trace.file.dropped));
  to.add("weir_trace_failed", figures.trace.file.failure.empty() ? 0 : 1);
}

} // namespace

std::string metrics_page(const stored_figures& stored,
                         const listener_counts& counts,
                         const process_figures& process) {
  metrics_text result;
  add_appservices(result, stored.appservices);
  add_removed(result, stored);
  add_inbound(result, counts);
  add_connections(result, counts, process);
  add_producers(result, process);
  if (stored.store) {
    add_stored(result, *stored.store);
    add_realms(result, *stored.store);
  }
  add_store(result, process);
  add_actors(result, process);
  add_process(result, process);
  return result.take();
}

} // namespace weir
