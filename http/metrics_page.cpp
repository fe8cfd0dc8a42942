#include "http/metrics_page.hpp"

#include "actors/probes.hpp"
#include "actors/store_probe.hpp"
#include "schema/metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>

namespace weir {

namespace {

/// Collects samples into the families of schema/metrics.hpp.
class page {
public:
  void add(std::string_view family, std::string_view label_value, double value,
           std::string_view second_value = {}) {
    const auto& about = metric_family_named(family);
    auto& to = family_of(about);
    prometheus::ClientMetric sample;
    if (!about.label.empty())
      sample.label.push_back(
        {std::string{about.label}, std::string{label_value}});
    if (!about.second_label.empty())
      sample.label.push_back(
        {std::string{about.second_label}, std::string{second_value}});
    if (about.kind == metric_kind::counter)
      sample.counter.value = value;
    else
      sample.gauge.value = value;
    to.metric.push_back(std::move(sample));
  }
  void add(std::string_view family, double value) {
    add(family, {}, value);
  }

  [[nodiscard]] std::string text() const {
    return prometheus::TextSerializer{}.Serialize(families_);
  }

private:
  prometheus::MetricFamily& family_of(const metric_family& about) {
    for (auto& known : families_)
      if (known.name == about.name)
        return known;
    prometheus::MetricFamily added;
    added.name = about.name;
    added.help = about.help;
    added.type = about.kind == metric_kind::counter
      ? prometheus::MetricType::Counter
      : prometheus::MetricType::Gauge;
    return families_.emplace_back(std::move(added));
  }

  std::vector<prometheus::MetricFamily> families_;
};

double number(uint64_t value) {
  return static_cast<double>(value);
}

void add_queue(page& to, const queue_view& view, stored_time as_of) {
  const auto& row = view.row;
  const auto& id = row.id.value;
  const auto state = view.status ? view.status->state : std::string{};
  const auto age = view.oldest_accepted_at.ms == 0
    ? int64_t{0}
    : (as_of - view.oldest_accepted_at).count();
  to.add("weir_appservice_depth_events", id, number(row.owed_events));
  to.add("weir_appservice_depth_other", id, number(row.owed_others));
  to.add("weir_appservice_bytes", id, number(row.owed_bytes));
  to.add("weir_appservice_waiting_ephemeral", id, number(row.waiting));
  to.add("weir_appservice_merged_elements_total", id, number(row.merged));
  to.add("weir_appservice_dropped_ephemeral_total", id, number(row.dropped));
  to.add("weir_appservice_near_bound", id, row.near_bounds != 0 ? 1 : 0);
  to.add("weir_appservice_overflowed_elements_total", id,
         number(row.overflowed));
  to.add("weir_appservice_oldest_age_seconds", id,
         static_cast<double>(std::max<int64_t>(age, 0)) / 1000.0);
  to.add("weir_appservice_attempts", id,
         view.status ? number(view.status->attempts) : 0.0);
  if (view.status && !view.status->last_error.empty())
    to.add("weir_appservice_last_error", id, 1, view.status->last_error);
  to.add("weir_appservice_resting", id, state == "resting" ? 1 : 0);
  to.add("weir_appservice_blocked", id, state == "blocked" ? 1 : 0);
  to.add("weir_appservice_dead_letters", id, number(view.dead_letters));
  to.add("weir_appservice_delivered_events_total", id,
         number(row.delivered_events));
  to.add("weir_appservice_delivered_transactions_total", id,
         number(row.delivered_transactions));
}

void add_second_door(page& to, const listener_counts& counts) {
  const auto& door = counts.second_door;
  constexpr std::string_view requests = "weir_second_door_requests_total";
  to.add(requests, "accepted", number(door.accepted));
  to.add(requests, "not_json", number(door.not_json));
  to.add(requests, "bad_json", number(door.bad_json));
  to.add(requests, "too_large", number(door.too_large));
  to.add(requests, "refused", number(door.refused));
  constexpr std::string_view events = "weir_second_door_events_total";
  to.add(events, "accepted", number(door.events_accepted));
  to.add(events, "duplicate", number(door.events_duplicate));
}

void add_listener(page& to, const listener_counts& counts,
                  const process_figures& figures) {
  constexpr std::string_view inbound = "weir_inbound_transactions_total";
  to.add(inbound, "accepted", number(counts.accepted));
  to.add(inbound, "duplicate", number(counts.duplicates));
  to.add(inbound, "id_reused", number(counts.ids_reused));
  to.add(inbound, "not_json", number(counts.not_json));
  to.add(inbound, "bad_json", number(counts.bad_json));
  to.add(inbound, "refused", number(counts.refused));
  to.add("weir_inbound_events_total", "accepted",
         number(counts.events_accepted));
  to.add("weir_inbound_events_total", "repeated",
         number(counts.events_repeated));
  constexpr std::string_view quarantine = "weir_quarantine_bodies_total";
  to.add(quarantine, "kept", number(counts.quarantined));
  to.add(quarantine, "full", number(counts.quarantine_full));
  to.add(quarantine, "failed", number(counts.quarantine_failed));
  to.add("weir_requests_refused_total", "unauthorised",
         number(counts.unauthorised));
  to.add("weir_requests_refused_total", "unrecognised",
         number(counts.unrecognised));
  constexpr std::string_view refused = "weir_requests_refused_total";
  const auto& by_http = figures.listener.refusals;
  to.add(refused, "malformed", number(by_http.malformed));
  to.add(refused, "too_large", number(by_http.too_large));
  to.add(refused, "too_slow", number(by_http.too_slow));
  to.add(refused, "busy", number(by_http.busy));
  to.add("weir_proxied_total", "sent", number(counts.proxied));
  to.add("weir_proxied_total", "unreachable", number(counts.unreachable));
  to.add("weir_connections_displaced_total", "homeserver",
         number(figures.listener.displaced));
  to.add("weir_connections_displaced_total", "admin",
         number(figures.admin.displaced));
  to.add("weir_connections", "homeserver",
         number(figures.listener.connections));
  to.add("weir_connections", "admin", number(figures.admin.connections));
  to.add("weir_connections", "bridges", number(figures.bridge_connections));
  to.add("weir_connections", "bridges_idle",
         number(figures.bridge_connections_idle));
  to.add("weir_held_requests",
         number(figures.listener.held + figures.held_for_store));
  to.add("weir_budget_bytes", number(figures.listener.budget_used));
}

void add_store(page& to, const process_figures& figures) {
  const auto& probe = process_store_probe();
  to.add("weir_store_writable", probe.writable ? 1 : 0);
  to.add("weir_store_commits_total", number(probe.commits));
  to.add("weir_store_operations_total", number(probe.operations));
  to.add("weir_store_rows_total", number(probe.rows));
  to.add("weir_store_file_bytes", "database", number(figures.database_bytes));
  to.add("weir_store_file_bytes", "log", number(figures.log_bytes));
  to.add("weir_store_failed_batches_total", number(probe.failed_batches));
  to.add("weir_store_expired_operations_total",
         number(probe.expired_operations));
  to.add("weir_store_in_doubt_commits_total", number(probe.in_doubt_commits));
  to.add("weir_store_clock_jumps_total", number(probe.clock_jumps));
  to.add("weir_store_commit_seconds_total",
         number(probe.commit_microseconds) / 1e6);
  to.add("weir_store_position", number(probe.position));
}

void add_actors(page& to, const process_figures& figures) {
  process_probes().each([&](const std::string& kind, const actor_probe& probe) {
    to.add("weir_actors", kind, static_cast<double>(probe.live));
    to.add("weir_actor_mailbox_depth", kind,
           static_cast<double>(std::max<int64_t>(probe.waiting, 0)));
    to.add("weir_actor_messages_total", kind, number(probe.processed));
    to.add("weir_actor_failures_total", kind, number(probe.failures));
  });
  to.add("weir_actor_threads", number(figures.actor_threads));
  to.add("weir_trace_on", figures.trace.recorder.on ? 1 : 0);
  to.add("weir_trace_records_total", number(figures.trace.recorder.records));
  to.add("weir_trace_dropped_records_total",
         number(figures.trace.file.dropped));
  to.add("weir_trace_failed", figures.trace.file.failure.empty() ? 0 : 1);
}

} // namespace

std::string metrics_page(std::span<const queue_view> queues, stored_time as_of,
                         const listener_counts& counts,
                         const process_figures& figures) {
  page result;
  for (const auto& view : queues)
    add_queue(result, view, as_of);
  add_listener(result, counts, figures);
  add_second_door(result, counts);
  add_store(result, figures);
  add_actors(result, figures);
  return result.text();
}

} // namespace weir
