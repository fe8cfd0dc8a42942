#include "persistence/sql/realm_reading.hpp"

#include "persistence/sql/realm_columns.hpp"
#include "persistence/sql/status_columns.hpp"

namespace weir::sql {

namespace {

std::string select(std::string_view columns, std::string_view from) {
  return "SELECT " + std::string{columns} + " FROM " + std::string{from};
}

} // namespace

realm_reading::realm_reading(connection& on)
  : on_{on},
    realm_{on, "realm", select(realm_columns, "realm WHERE id = :id"),
           realm_types},
    realms_{on, "realms",
            select(realm_columns,
                   "realm WHERE no > :after ORDER BY no LIMIT :rows_max"),
            realm_types},
    oldest_{on, "oldest open event",
            "SELECT min(o.at) FROM (SELECT (SELECT e.accepted_at "
            "FROM realm_event AS e WHERE e.realm = :realm "
            "AND e.state = s.state AND e.state < 3 ORDER BY e.seq LIMIT 1) "
            "AS at FROM (SELECT 0 AS state UNION ALL SELECT 1 "
            "UNION ALL SELECT 2) AS s) AS o",
            "i"},
    event_{on, "realm event",
           select(realm_event_columns,
                  "realm_event WHERE realm = :realm AND event_id = :event_id"),
           realm_event_types},
    sends_{on, "sends",
           select(realm_send_columns,
                  "realm_send WHERE realm = :realm AND seq = :seq "
                  "AND room > :after ORDER BY room LIMIT :rows_max"),
           realm_send_types},
    audience_{on, "audience", std::string{audience_text}, realm_room_types},
    account_{on, "account", select(account_columns, "account WHERE id = :id"),
             account_types},
    dead_letters_{on, "events with dead letters",
                  select(realm_event_columns,
                         "realm_event WHERE realm = :realm AND seq > :after "
                         "AND failed > 0 ORDER BY seq LIMIT :rows_max"),
                  realm_event_types},
    status_{
      on, "status of a realm",
      select(status_columns("s."), "queue_status AS s WHERE s.queue = :queue"),
      status_column_types},
    totals_{on, "totals of realms",
            "SELECT count(*), "
            "CAST(coalesce(sum(CASE WHEN halted_at > 0 THEN 1 ELSE 0 END), 0) "
            "AS BIGINT), "
            "CAST(coalesce(sum(open_events), 0) AS BIGINT), "
            "CAST(coalesce(sum(open_bytes), 0) AS BIGINT), "
            "CAST(coalesce(sum(unsettled), 0) AS BIGINT), "
            "CAST(coalesce(sum(dead_letters), 0) AS BIGINT), "
            "(SELECT min(o.at) FROM (SELECT (SELECT e.accepted_at "
            "FROM realm_event AS e WHERE e.realm = r.no "
            "AND e.state = s.state AND e.state < 3 ORDER BY e.seq LIMIT 1) "
            "AS at FROM realm AS r, (SELECT 0 AS state UNION ALL SELECT 1 "
            "UNION ALL SELECT 2) AS s WHERE r.has_work = 1) AS o) "
            "FROM realm",
            "iiiiiii"} {
}

template <class... Arguments>
expected<void> realm_reading::ask(statement& which,
                                  const Arguments&... arguments) {
  const bool by_snapshot = on_.in_transaction();
  auto asked = which.run(arguments...);
  if (asked || asked.error().code != ec::unavailable || by_snapshot)
    return asked;
  WEIR_TRY(on_.open());
  return which.run(arguments...);
}

expected<std::optional<realm_row>> realm_reading::realm(const realm_id& id) {
  WEIR_TRY(ask(realm_, id.value));
  return read_first(realm_, read_realm);
}

expected<std::vector<realm_row>> realm_reading::realms(realm_no after,
                                                       size_t rows_max) {
  WEIR_TRY(ask(realms_, after, as_count(rows_max)));
  return read_all(realms_, read_realm);
}

expected<stored_time> realm_reading::oldest_open(realm_no realm) {
  WEIR_TRY(ask(oldest_, realm));
  WEIR_TRY(const auto at,
           read_first(oldest_, [](statement& from) { return from.when(0); }));
  return at.value_or(stored_time{});
}

expected<std::optional<realm_event_row>>
realm_reading::event(realm_no realm, std::string_view event_id) {
  WEIR_TRY(ask(event_, realm, event_id));
  return read_first_realm_event(event_);
}

expected<std::vector<realm_send_row>>
realm_reading::sends(realm_no realm, uint64_t seq, const std::string& after,
                     size_t rows_max) {
  WEIR_TRY(ask(sends_, realm, as_count(seq), after, as_count(rows_max)));
  return read_all(sends_, read_realm_send);
}

expected<std::vector<realm_room_row>>
realm_reading::audience(realm_no realm, uint64_t version,
                        const std::string& after, size_t rows_max) {
  WEIR_TRY(ask(audience_, realm, after, as_count(version), as_count(rows_max)));
  return read_all(audience_, read_realm_room);
}

expected<std::optional<account_row>>
realm_reading::account(const std::string& id) {
  WEIR_TRY(ask(account_, id));
  return read_first(account_, read_account);
}

expected<std::vector<realm_event_row>>
realm_reading::with_dead_letters(realm_no realm, uint64_t after,
                                 size_t rows_max) {
  WEIR_TRY(ask(dead_letters_, realm, as_count(after), as_count(rows_max)));
  return read_realm_events(dead_letters_);
}

expected<realm_totals> realm_reading::totals() {
  WEIR_TRY(ask(totals_));
  WEIR_TRY(const auto found, read_first(totals_, [](statement& from) {
             realm_totals all;
             all.realms = from.count(0);
             all.halted = from.count(1);
             all.open_events = from.count(2);
             all.open_bytes = from.count(3);
             all.unsettled = from.count(4);
             all.dead_letters = from.count(5);
             all.oldest_accepted_at = from.when(6);
             return all;
           }));
  return found.value_or(realm_totals{});
}

expected<std::optional<queue_status_row>>
realm_reading::status(const std::string& queue) {
  WEIR_TRY(ask(status_, queue));
  return read_first(
    status_, [&](statement& from) { return read_status(from, 0, queue); });
}

} // namespace weir::sql
