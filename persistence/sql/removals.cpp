#include "persistence/sql/removals.hpp"

#include "persistence/sql/outbox.hpp"

#include <algorithm>

namespace weir::sql {

namespace {

/// A body may have 32 MiB: of them fewer go at once.
constexpr size_t bodies_share = 20;

/// Deletes the first rows of a stretch of places.
std::string by_place(const std::string& table) {
  return "DELETE FROM " + table + " WHERE place IN (SELECT place FROM " + table
    + " WHERE place BETWEEN :first AND :last ORDER BY place LIMIT :rows_max)";
}

/// Deletes the first rows of a queue, in the order of their key.
std::string by_number(const std::string& table, const std::string& key) {
  return "DELETE FROM " + table + " WHERE appservice = :appservice AND " + key
    + " IN (SELECT " + key + " FROM " + table
    + " WHERE appservice = :of ORDER BY " + key + " LIMIT :rows_max)";
}

std::string by_id(const std::string& table, const std::string& owner) {
  return "DELETE FROM " + table + " WHERE id IN (SELECT id FROM " + table
    + " WHERE " + owner
    + " = :owner AND id <= :last ORDER BY id LIMIT :rows_max)";
}

constexpr std::string_view removal_types = "itiiiiii";

std::string unfinished_text(const std::string& condition) {
  return "SELECT no, appservice, next_seq, next_txn, last_letter, last_body, "
         "last_command, begun_at FROM removal WHERE done = 0"
    + condition + " ORDER BY no LIMIT 1";
}

} // namespace

const std::string kept_counts_text
  = "SELECT (SELECT count(*) FROM dead_letter WHERE appservice = given.id), "
    "(SELECT coalesce(max(id), 0) FROM dead_letter "
    "WHERE appservice = given.id), "
    "(SELECT count(*) FROM quarantine WHERE appservice = given.id), "
    "(SELECT coalesce(max(id), 0) FROM quarantine "
    "WHERE appservice = given.id), "
    "(SELECT coalesce(max(id), 0) FROM command) "
    "FROM (SELECT CAST(:id AS TEXT) AS id) AS given";

kept_counts read_kept_counts(statement& from) {
  kept_counts found;
  found.letters = from.count(0);
  found.last_letter = from.number(1);
  found.bodies = from.count(2);
  found.last_body = from.number(3);
  found.last_command = from.number(4);
  return found;
}

removals::removals(connection& on)
  : queues_{on, "held queues",
            "SELECT id, removed_at FROM appservice WHERE id > :after "
            "ORDER BY id LIMIT :rows_max",
            "ti"},
    count_{on, "count kept", kept_counts_text, kept_counts_types},
    begin_{
      on, "begin removal",
      "INSERT INTO removal (no, appservice, next_seq, next_txn, last_letter, "
      "last_body, last_command, begun_at, done) VALUES (:no, :id, "
      ":next_seq, :next_txn, :last_letter, :last_body, :last_command, "
      ":begun_at, 0)"},
    free_{on, "free id", "DELETE FROM appservice WHERE no = :no"},
    status_{on, "remove status",
            "DELETE FROM queue_status WHERE queue = :queue AND NOT EXISTS "
            "(SELECT 1 FROM appservice WHERE id = :id)"},
    oldest_{on, "removal", unfinished_text(""), removal_types},
    oldest_of_{on, "removal of", unfinished_text(" AND appservice = :id"),
               removal_types},
    outbox_{on, "remove outbox", by_place("outbox")},
    waiting_{on, "remove waiting", by_place("waiting_ephemeral")},
    orderings_{on, "remove orderings",
               by_number("outbox_ordering", "stream_ordering")},
    inbound_{on, "remove inbound", by_number("inbound_transaction", "arrival")},
    seen_{on, "remove seen", by_number("seen_event", "arrival")},
    letters_{on, "remove letters", by_id("dead_letter", "appservice")},
    bodies_{on, "remove bodies", by_id("quarantine", "appservice")},
    commands_{on, "remove commands", by_id("command", "target")},
    finish_{on, "finish removal", "UPDATE removal SET done = 1 WHERE no = :no"},
    forget_{on, "forget removals",
            "DELETE FROM removal WHERE appservice = :id AND done = 1 "
            "AND no < :no"} {
}

expected<std::vector<held_queue>> removals::queues(const appservice_id& after,
                                                   size_t rows_max) {
  WEIR_TRY(queues_.run(after.value, as_count(rows_max)));
  std::vector<held_queue> rows;
  while (true) {
    WEIR_TRY(auto found, queues_.next());
    if (!found)
      return rows;
    rows.push_back({{queues_.text(0)}, queues_.when(1)});
  }
}

expected<kept_counts> removals::count_kept(const appservice_id& of) {
  WEIR_TRY(count_.run(of.value));
  WEIR_TRY(auto found, count_.next());
  if (!found)
    return fail(ec::rejected, "count kept: the statement gave no row");
  const auto counts = read_kept_counts(count_);
  count_.done();
  return counts;
}

expected<void> removals::begin(const removal_row& row) {
  WEIR_TRY(begin_.run(row.no, row.appservice.value, row.next_seq, row.next_txn,
                      row.last_letter, row.last_body, row.last_command,
                      row.begun_at));
  WEIR_TRY(free_.run(row.no));
  if (free_.changed() != 1)
    return fail(ec::rejected, "begin removal: no such queue");
  return status_.run("appservice/" + row.appservice.value,
                     row.appservice.value);
}

expected<std::optional<removal_row>>
removals::unfinished(const std::optional<appservice_id>& of) {
  auto& from = of ? oldest_of_ : oldest_;
  if (of) {
    WEIR_TRY(from.run(of->value));
  } else {
    WEIR_TRY(from.run());
  }
  WEIR_TRY(auto found, from.next());
  std::optional<removal_row> row;
  if (found)
    row = removal_row{from.number(0), {from.text(1)}, from.count(2),
                      from.count(3),  from.number(4), from.number(5),
                      from.number(6), from.when(7),   false};
  from.done();
  return row;
}

expected<uint64_t> removals::remove_by_number(const removal_row& row,
                                              size_t rows_max) {
  const auto first = place_of(row.no, 0);
  const auto last = place_of(row.no, UINT64_MAX);
  uint64_t removed = 0;
  for (auto* each : {&outbox_, &waiting_}) {
    WEIR_TRY(each->run(first, last, as_count(rows_max - removed)));
    removed += each->changed();
  }
  for (auto* each : {&orderings_, &inbound_, &seen_}) {
    WEIR_TRY(each->run(row.no, row.no, as_count(rows_max - removed)));
    removed += each->changed();
  }
  return removed;
}

expected<uint64_t> removals::remove_by_id(const removal_row& row,
                                          size_t rows_max) {
  const auto& id = row.appservice.value;
  WEIR_TRY(letters_.run(id, row.last_letter, as_count(rows_max)));
  auto removed = letters_.changed();
  const auto bodies_max
    = std::min(rows_max - removed, rows_max / bodies_share + 1);
  WEIR_TRY(bodies_.run(id, row.last_body, as_count(bodies_max)));
  removed += bodies_.changed();
  WEIR_TRY(commands_.run("appservice/" + id, row.last_command,
                         as_count(rows_max - removed)));
  return removed + commands_.changed();
}

expected<uint64_t> removals::remove_some(const removal_row& row,
                                         size_t rows_max) {
  WEIR_TRY(auto removed, remove_by_number(row, rows_max));
  if (removed < rows_max) {
    WEIR_TRY(auto more, remove_by_id(row, rows_max - removed));
    removed += more;
  }
  return removed;
}

expected<void> removals::finish(const removal_row& row) {
  WEIR_TRY(
    status_.run("appservice/" + row.appservice.value, row.appservice.value));
  WEIR_TRY(finish_.run(row.no));
  return forget_.run(row.appservice.value, row.no);
}

} // namespace weir::sql
