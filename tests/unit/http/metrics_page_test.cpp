#include "http/metrics_page.hpp"

#include "schema/metrics.hpp"

#include <doctest/doctest.h>

#include <set>

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
  view.dead_letter_bytes = 333;
  view.quarantined = 1;
  view.quarantine_bytes = 111;
  view.status.emplace();
  view.status->state = "resting";
  view.status->attempts = 4;
  view.status->last_error = "timeout";
  return view;
}

/// The page of one appservice, read at `as_of`.
std::string page_of(const queue_view& view, stored_time as_of = {},
                    milliseconds sending_for = {}) {
  stored_figures stored;
  stored.appservices.push_back(figures_of(view, as_of, sending_for));
  return metrics_page(stored, {}, {});
}

std::string page_of(const process_figures& process,
                    const listener_counts& counts = {}) {
  return metrics_page({}, counts, process);
}

/// The page of so many appservices.
std::string page_of_many(size_t count) {
  stored_figures stored;
  stored.store.emplace();
  for (size_t at = 0; at < count; ++at) {
    auto view = resting_queue();
    view.row.id = {"bridge_" + std::to_string(at)};
    if (at % 2 == 0)
      view.status.reset();
    stored.appservices.push_back(figures_of(view, {90'000}, {}));
  }
  return metrics_page(stored, {}, {});
}

size_t series_of(const std::string& page) {
  size_t count = 0;
  for (size_t at = 0; at < page.size(); at = page.find('\n', at) + 1)
    count += page[at] == '#' ? 0 : 1;
  return count;
}

size_t families_of_an_appservice() {
  size_t count = 0;
  for (const auto& family : metric_families())
    count += family.label == "appservice" ? 1 : 0;
  return count;
}

} // namespace

TEST_CASE("metrics page: each appservice has its figures under its id") {
  const auto text = page_of(resting_queue(), {90'500}, milliseconds{1'500});
  for (const std::string line :
       {"depth_events{appservice=\"irc\"} 7",
        "depth_other{appservice=\"irc\"} 2",
        "waiting_ephemeral{appservice=\"irc\"} 6",
        "merged_elements_total{appservice=\"irc\"} 8",
        "dropped_ephemeral_total{appservice=\"irc\"} 9",
        "bytes{appservice=\"irc\"} 900",
        "oldest_age_seconds{appservice=\"irc\"} 30.5",
        "in_flight{appservice=\"irc\"} 1",
        "in_flight_seconds{appservice=\"irc\"} 1.5",
        "attempts{appservice=\"irc\"} 4", "resting{appservice=\"irc\"} 1",
        "blocked{appservice=\"irc\"} 0", "paused{appservice=\"irc\"} 0",
        "dead_letters{appservice=\"irc\"} 3",
        "dead_letter_bytes{appservice=\"irc\"} 333",
        "quarantined_bodies{appservice=\"irc\"} 1",
        "quarantine_bytes{appservice=\"irc\"} 111",
        "delivered_events_total{appservice=\"irc\"} 40",
        "delivered_transactions_total{appservice=\"irc\"} 5"}) {
    CAPTURE(line);
    CHECK(has(text, "weir_appservice_" + line));
  }
}

TEST_CASE("metrics page: who is sent nothing and has no error is told so") {
  auto view = resting_queue();
  view.status.reset();
  view.row.halted.emplace();
  const auto text = page_of(view);
  const std::string of_it = "{appservice=\"irc\"} ";
  CHECK(has(text, "weir_appservice_in_flight" + of_it + "0"));
  CHECK(has(text, "weir_appservice_in_flight_seconds" + of_it + "0"));
  CHECK(has(text, "weir_appservice_paused" + of_it + "1"));
  CHECK(has(text,
            "weir_appservice_last_error{appservice=\"irc\",class="
            "\"none\"} 0"));
}

TEST_CASE("metrics page: an age is never negative, and none is zero") {
  auto view = resting_queue();
  view.oldest_accepted_at = {95'000};
  const std::string age
    = "weir_appservice_oldest_age_seconds{appservice=\"irc\"} ";
  CHECK(has(page_of(view, {90'000}), age + "0"));
  view.oldest_accepted_at = {};
  CHECK(has(page_of(view, {90'000}), age + "0"));
}

TEST_CASE("metrics page: held requests are those unread and those read") {
  process_figures figures;
  figures.listener.held = 2;
  figures.held_for_store = 3;
  CHECK(has(page_of(figures), "weir_held_requests 5"));
}

TEST_CASE("metrics page: what became of broken bodies is counted apart") {
  listener_counts counts;
  counts.quarantined = 1;
  counts.quarantine_full = 2;
  counts.quarantine_failed = 3;
  const auto text = page_of({}, counts);
  const std::string family = "weir_quarantine_bodies_total{result=\"";
  CHECK(has(text, family + "kept\"} 1"));
  CHECK(has(text, family + "full\"} 2"));
  CHECK(has(text, family + "failed\"} 3"));
}

TEST_CASE("metrics page: bounds and the second door have their figures") {
  auto view = resting_queue();
  view.row.near_bounds = 2;
  view.row.overflowed = 11;
  view.status->last_error = "http_503";
  const auto of_queue = page_of(view);
  const std::string of_it = "{appservice=\"irc\"";
  CHECK(has(of_queue, "weir_appservice_near_bound" + of_it + "} 1"));
  CHECK(has(of_queue,
            "weir_appservice_overflowed_elements_total" + of_it + "} 11"));
  CHECK(has(of_queue,
            "weir_appservice_last_error" + of_it + ",class=\"http_503\"} 1"));
  listener_counts counts;
  counts.second_door.too_large = 2;
  counts.second_door.events_duplicate = 3;
  const auto of_door = page_of({}, counts);
  CHECK(
    has(of_door, "weir_second_door_requests_total{result=\"too_large\"} 2"));
  CHECK(has(of_door, "weir_second_door_events_total{result=\"duplicate\"} 3"));
}

TEST_CASE("metrics page: refusals and connections are told of both sides") {
  listener_counts counts;
  counts.unauthorised = 1;
  counts.too_many = 12;
  process_figures figures;
  figures.listener.refusals = {4, 5, 6, 7};
  figures.admin.refusals.too_slow = 8;
  figures.admin_unauthorised = 9;
  figures.listener.by_state = {1, 2, 3, 4, 5, 6, 7, 8};
  figures.admin.by_state[1] = 10;
  figures.bridge_requests = 11;
  const auto text = page_of(figures, counts);
  const std::string refused = "weir_requests_refused_total{side=\"";
  const std::string open = "weir_listener_connections{side=\"";
  for (const std::string& line :
       {refused + "homeserver\",reason=\"unauthorised\"} 1",
        refused + "homeserver\",reason=\"bridge_busy\"} 12",
        refused + "homeserver\",reason=\"malformed\"} 4",
        refused + "homeserver\",reason=\"too_large\"} 5",
        refused + "homeserver\",reason=\"too_slow\"} 6",
        refused + "homeserver\",reason=\"busy\"} 7",
        refused + "admin\",reason=\"too_slow\"} 8",
        refused + "admin\",reason=\"unauthorised\"} 9",
        open + "homeserver\",state=\"handshake\"} 1",
        open + "homeserver\",state=\"idle\"} 2",
        open + "homeserver\",state=\"reading_head\"} 3",
        open + "homeserver\",state=\"held\"} 4",
        open + "homeserver\",state=\"reading_body\"} 5",
        open + "homeserver\",state=\"answering\"} 6",
        open + "homeserver\",state=\"writing\"} 7",
        open + "homeserver\",state=\"closing\"} 8",
        open + "admin\",state=\"idle\"} 10",
        std::string{"weir_bridge_requests_in_flight 11"}}) {
    CAPTURE(line);
    CHECK(has(text, line));
  }
}

TEST_CASE("metrics page: the store tells its sizes, or nothing of them") {
  process_figures figures;
  figures.database_bytes = 8;
  figures.log_bytes = 9;
  stored_figures stored;
  stored.store = store_figures{{10, 11}, 12};
  stored.removed = {1, 2, 3};
  const auto text = metrics_page(stored, {}, figures);
  for (const std::string line :
       {"store_file_bytes{file=\"database\"} 8",
        "store_file_bytes{file=\"log\"} 9",
        "kept_bytes{kind=\"dead_letters\"} 10",
        "kept_bytes{kind=\"quarantine\"} 11", "store_database_bytes 12",
        "kept_bytes_max{kind=\"quarantine\"} 268435456",
        "removed_appservices 1", "removed_owed_elements 2",
        "removed_owed_bytes 3"}) {
    CAPTURE(line);
    CHECK(has(text, "weir_" + line));
  }
  CHECK(page_of(figures).find("weir_store_database_bytes")
        == std::string::npos);
  CHECK(page_of(figures).find("weir_kept_bytes{") == std::string::npos);
}

TEST_CASE("metrics page: realms have what is queued, and how old it is") {
  producer_counts counts;
  counts.forbidden = 4;
  counts.realm_full = 5;
  process_figures figures;
  figures.producers = &counts;
  stored_figures stored;
  stored.store.emplace();
  auto& realms = stored.store->realms;
  realms.realms = 9;
  realms.halted = 1;
  realms.open_events = 12;
  realms.open_bytes = 3'000;
  realms.unsettled = 40;
  realms.dead_letters = 2;
  realms.oldest_accepted_at = stored_time{10'000};
  stored.store->as_of = stored_time{71'500};
  const auto text = metrics_page(stored, {}, figures);
  for (const std::string line :
       {"realms{state=\"known\"} 9", "realms{state=\"paused\"} 1",
        "realm_queued_events 12", "realm_queued_bytes 3000",
        "realm_oldest_age_seconds 61.5", "realm_unsettled_sends 40",
        "realm_dead_letters 2",
        "producer_requests_total{result=\"forbidden\"} 4",
        "realm_events_total{result=\"realm_full\"} 5"}) {
    CAPTURE(line);
    CHECK(has(text, "weir_" + line));
  }
  realms.oldest_accepted_at = stored_time{};
  CHECK(
    has(metrics_page(stored, {}, figures), "weir_realm_oldest_age_seconds 0"));
}

TEST_CASE("metrics page: each bucket of a histogram holds those below it") {
  const auto text = page_of(process_figures{});
  const std::string family = "weir_store_commit_rows";
  CHECK(has(text, "# TYPE " + family + " histogram"));
  CHECK(text.find(family + "_bucket{le=\"1\"} ") != std::string::npos);
  CHECK(text.find(family + "_bucket{le=\"+Inf\"} ") != std::string::npos);
  CHECK(text.find(family + "_count ") != std::string::npos);
  CHECK(text.find(family + "_sum ") != std::string::npos);
}

TEST_CASE("metrics page: the number of series follows from the appservices") {
  const auto alone = series_of(page_of_many(0));
  for (const size_t count : {1, 2, 7}) {
    CAPTURE(count);
    CHECK(series_of(page_of_many(count))
          == alone + count * families_of_an_appservice());
  }
}

TEST_CASE("metrics page: the bytes of an appservice are bounded") {
  const auto of_one
    = (page_of_many(1'001).size() - page_of_many(1).size()) / 1'000;
  CHECK(of_one > 500);
  CHECK(of_one < 1'400); // docs/metrics.md tells how many.
}

TEST_CASE("metrics page: a name that needs quotes gets them") {
  auto view = resting_queue();
  view.row.id = {"a\"b\\c\nd"};
  CHECK(has(page_of(view),
            R"(weir_appservice_depth_events{appservice="a\"b\\c\nd"} 7)"));
}

TEST_CASE("metrics page: every family of the reference is on it, and once") {
  const auto text = page_of_many(1);
  for (const auto& family : metric_families()) {
    const std::string name{family.name};
    CAPTURE(name);
    const auto line = "# TYPE " + name + " ";
    const auto at = text.find(line);
    CHECK(at != std::string::npos);
    CHECK(text.find(line, at + 1) == std::string::npos);
  }
}
