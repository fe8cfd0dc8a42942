#include "http/metrics_page.hpp"

#include "schema/metrics.hpp"

#include <doctest/doctest.h>

using namespace weir;

namespace {

bool has(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

queue_view resting_queue() {
  queue_view view;
  view.row.id = {"irc"};
  view.row.owed_events = 7;
  view.row.owed_others = 2;
  view.row.owed_bytes = 900;
  view.row.delivered_events = 40;
  view.row.waiting = 6;
  view.row.merged = 8;
  view.row.dropped = 9;
  view.row.delivered_transactions = 5;
  view.oldest_accepted_at = {60'000};
  view.dead_letters = 3;
  view.status.emplace();
  view.status->state = "resting";
  view.status->attempts = 4;
  view.status->last_error = "timeout";
  return view;
}

} // namespace

TEST_CASE("metrics page: each appservice has its figures under its id") {
  const std::vector<queue_view> queues{resting_queue()};
  const auto text = metrics_page(queues, {90'500}, {}, {});
  for (const std::string line :
       {"depth_events{appservice=\"irc\"} 7",
        "depth_other{appservice=\"irc\"} 2",
        "waiting_ephemeral{appservice=\"irc\"} 6",
        "merged_elements_total{appservice=\"irc\"} 8",
        "dropped_ephemeral_total{appservice=\"irc\"} 9",
        "bytes{appservice=\"irc\"} 900",
        "oldest_age_seconds{appservice=\"irc\"} 30.5",
        "attempts{appservice=\"irc\"} 4", "resting{appservice=\"irc\"} 1",
        "blocked{appservice=\"irc\"} 0", "dead_letters{appservice=\"irc\"} 3",
        "delivered_events_total{appservice=\"irc\"} 40",
        "delivered_transactions_total{appservice=\"irc\"} 5"}) {
    CAPTURE(line);
    CHECK(has(text, "weir_appservice_" + line));
  }
}

TEST_CASE("metrics page: an age is never negative, and none is zero") {
  auto view = resting_queue();
  view.oldest_accepted_at = {95'000};
  const std::string age
    = "weir_appservice_oldest_age_seconds{appservice=\"irc\"} ";
  CHECK(has(metrics_page(std::vector{view}, {90'000}, {}, {}), age + "0"));
  view.oldest_accepted_at = {};
  CHECK(has(metrics_page(std::vector{view}, {90'000}, {}, {}), age + "0"));
}

TEST_CASE("metrics page: held requests are those unread and those read") {
  process_figures figures;
  figures.listener.held = 2;
  figures.held_for_store = 3;
  CHECK(has(metrics_page({}, {}, {}, figures), "weir_held_requests 5"));
}

TEST_CASE("metrics page: what became of broken bodies is counted apart") {
  listener_counts counts;
  counts.quarantined = 1;
  counts.quarantine_full = 2;
  counts.quarantine_failed = 3;
  const auto text = metrics_page({}, {}, counts, {});
  const std::string family = "weir_quarantine_bodies_total{result=\"";
  CHECK(has(text, family + "kept\"} 1"));
  CHECK(has(text, family + "full\"} 2"));
  CHECK(has(text, family + "failed\"} 3"));
}

TEST_CASE("metrics page: bounds, refusals and sizes have their figures") {
  auto view = resting_queue();
  view.row.near_bounds = 2;
  view.row.overflowed = 11;
  view.status->last_error = "http_503";
  listener_counts counts;
  counts.unauthorised = 1;
  counts.second_door.too_large = 2;
  counts.second_door.events_duplicate = 3;
  process_figures figures;
  figures.listener.refusals = {4, 5, 6, 7};
  figures.database_bytes = 8;
  figures.log_bytes = 9;
  const auto text = metrics_page(std::vector{view}, {}, counts, figures);
  for (const std::string line :
       {"appservice_near_bound{appservice=\"irc\"} 1",
        "appservice_overflowed_elements_total{appservice=\"irc\"} 11",
        "appservice_last_error{appservice=\"irc\",class=\"http_503\"} 1",
        "requests_refused_total{reason=\"unauthorised\"} 1",
        "second_door_requests_total{result=\"too_large\"} 2",
        "second_door_events_total{result=\"duplicate\"} 3",
        "requests_refused_total{reason=\"malformed\"} 4",
        "requests_refused_total{reason=\"too_large\"} 5",
        "requests_refused_total{reason=\"too_slow\"} 6",
        "requests_refused_total{reason=\"busy\"} 7",
        "store_file_bytes{file=\"database\"} 8",
        "store_file_bytes{file=\"log\"} 9"}) {
    CAPTURE(line);
    CHECK(has(text, "weir_" + line));
  }
}

TEST_CASE("metrics page: every family of the reference is on it") {
  const auto text = metrics_page(std::vector{resting_queue()}, {}, {}, {});
  for (const auto& family : metric_families()) {
    const std::string name{family.name};
    CAPTURE(name);
    // Those of actors have a sample for each kind that has ever lived.
    if (family.label != "kind")
      CHECK(text.find("# TYPE " + name + " ") != std::string::npos);
  }
}
