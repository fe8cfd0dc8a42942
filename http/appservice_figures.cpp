#include "http/appservice_figures.hpp"

#include <algorithm>
#include <array>

namespace weir {

namespace {

struct seen_queue {
  const queue_view& view;
  stored_time as_of;
  milliseconds sending_for;
};

double number(uint64_t value) {
  return static_cast<double>(value);
}

double seconds(milliseconds time) {
  return static_cast<double>(std::max<int64_t>(time.count(), 0)) / 1000.0;
}

double one_if(bool yes) {
  return yes ? 1 : 0;
}

double is_in(const seen_queue& queue, std::string_view state) {
  return one_if(queue.view.status && queue.view.status->state == state);
}

double age(const seen_queue& queue) {
  const auto oldest = queue.view.oldest_accepted_at;
  return oldest.ms == 0 ? 0.0 : seconds(queue.as_of - oldest);
}

double attempts(const seen_queue& queue) {
  return queue.view.status ? number(queue.view.status->attempts) : 0.0;
}

struct figure {
  std::string_view family;
  double (*of)(const seen_queue&);
};

using q = const seen_queue&;

constexpr std::array figures{
  figure{"weir_appservice_depth_events",
         [](q of) { return number(of.view.row.owed_events); }},
  figure{"weir_appservice_depth_other",
         [](q of) { return number(of.view.row.owed_others); }},
  figure{"weir_appservice_bytes",
         [](q of) { return number(of.view.row.owed_bytes); }},
  figure{"weir_appservice_waiting_ephemeral",
         [](q of) { return number(of.view.row.waiting); }},
  figure{"weir_appservice_merged_elements_total",
         [](q of) { return number(of.view.row.merged); }},
  figure{"weir_appservice_dropped_ephemeral_total",
         [](q of) { return number(of.view.row.dropped); }},
  figure{"weir_appservice_near_bound",
         [](q of) { return one_if(of.view.row.near_bounds != 0); }},
  figure{"weir_appservice_overflowed_elements_total",
         [](q of) { return number(of.view.row.overflowed); }},
  figure{"weir_appservice_oldest_age_seconds", age},
  figure{"weir_appservice_in_flight",
         [](q of) { return one_if(of.sending_for.count() > 0); }},
  figure{"weir_appservice_in_flight_seconds",
         [](q of) { return seconds(of.sending_for); }},
  figure{"weir_appservice_attempts", attempts},
  figure{"weir_appservice_resting", [](q of) { return is_in(of, "resting"); }},
  figure{"weir_appservice_blocked", [](q of) { return is_in(of, "blocked"); }},
  figure{"weir_appservice_paused",
         [](q of) { return one_if(of.view.row.halted.has_value()); }},
  figure{"weir_appservice_dead_letters",
         [](q of) { return number(of.view.dead_letters); }},
  figure{"weir_appservice_dead_letter_bytes",
         [](q of) { return number(of.view.dead_letter_bytes); }},
  figure{"weir_appservice_quarantined_bodies",
         [](q of) { return number(of.view.quarantined); }},
  figure{"weir_appservice_quarantine_bytes",
         [](q of) { return number(of.view.quarantine_bytes); }},
  figure{"weir_appservice_delivered_events_total",
         [](q of) { return number(of.view.row.delivered_events); }},
  figure{"weir_appservice_delivered_transactions_total",
         [](q of) { return number(of.view.row.delivered_transactions); }},
};

constexpr auto names = [] {
  std::array<std::string_view, figures.size()> all{};
  for (size_t at = 0; at < all.size(); ++at)
    all[at] = figures[at].family;
  return all;
}();

} // namespace

std::span<const std::string_view> appservice_families() {
  return names;
}

appservice_figures figures_of(const queue_view& view, stored_time as_of,
                              milliseconds sending_for) {
  const seen_queue queue{view, as_of, sending_for};
  appservice_figures result{view.row.id.value, {}, {}};
  if (view.status)
    result.last_error = view.status->last_error;
  result.values.reserve(figures.size());
  for (const auto& each : figures)
    result.values.push_back(each.of(queue));
  return result;
}

void removed_figures::add(const queue_view& view) {
  const auto owed = view.row.owed_events + view.row.owed_others;
  if (owed + view.dead_letters + view.quarantined == 0)
    return;
  ++appservices;
  elements += owed;
  bytes += view.row.owed_bytes;
}

} // namespace weir
