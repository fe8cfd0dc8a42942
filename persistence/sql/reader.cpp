#include "persistence/sql/reader.hpp"

#include "persistence/sql/letter_columns.hpp"

#include "persistence/sql/outbox.hpp"
#include "persistence/sql/removals.hpp"
#include "persistence/sql/status_columns.hpp"
#include "persistence/sql/store.hpp"

#include <algorithm>

namespace weir::sql {

namespace {

constexpr size_t status_at = queue_column_types.size();
constexpr size_t totals_at = status_at + status_column_types.size();
const std::string view_types = std::string{queue_column_types}
  + std::string{status_column_types} + "iiiii";

std::string view_text() {
  return "SELECT " + queue_columns("a.") + ", " + status_columns("s.")
    + ", (SELECT o.accepted_at FROM outbox AS o WHERE o.place BETWEEN "
      "a.no * 1099511627776 AND a.no * 1099511627776 + 1099511627775 "
      "ORDER BY o.place LIMIT 1), "
      "coalesce(d.elements, 0), coalesce(d.bytes, 0), "
      "coalesce(q.elements, 0), coalesce(q.bytes, 0) "
      "FROM appservice AS a LEFT JOIN queue_status AS s "
      "ON s.queue = 'appservice/' || a.id "
      "LEFT JOIN kept_of AS d "
      "ON d.appservice = a.id AND d.kind = 'dead_letter' "
      "LEFT JOIN kept_of AS q "
      "ON q.appservice = a.id AND q.kind = 'quarantine' ";
}

expected<queue_view> read_view(statement& from) {
  queue_view view;
  WEIR_TRY(view.row, read_queue(from, 0));
  if (!from.null(status_at)) {
    view.status
      = read_status(from, status_at, "appservice/" + view.row.id.value);
  }
  view.oldest_accepted_at = from.when(totals_at);
  view.dead_letters = from.count(totals_at + 1);
  view.dead_letter_bytes = from.count(totals_at + 2);
  view.quarantined = from.count(totals_at + 3);
  view.quarantine_bytes = from.count(totals_at + 4);
  return view;
}

std::string letters_text(std::string_view condition) {
  return "SELECT " + std::string{letter_columns}
  + ", size FROM dead_letter WHERE id > :after" + std::string{condition}
  + " ORDER BY id LIMIT :rows_max";
}

constexpr std::string_view body_columns
  = "id, appservice, hs_txn_id, reason, times, first_at, last_at, size";
constexpr std::string_view body_types = "itbtiiii";

std::string bodies_text(std::string_view condition) {
  return "SELECT " + std::string{body_columns}
  + " FROM quarantine WHERE id > :after" + std::string{condition}
  + " ORDER BY id LIMIT :rows_max";
}

quarantine_row read_body(statement& from) {
  quarantine_row row;
  row.id = from.number(0);
  row.appservice = {from.text(1)};
  row.hs_txn_id = from.text(2);
  row.reason = from.text(3);
  row.times = from.count(4);
  row.first_at = from.when(5);
  row.last_at = from.when(6);
  row.size = from.count(7);
  return row;
}

std::string database_bytes_text(const dialect& speaks) {
  return speaks.postgresql
    ? "SELECT pg_database_size(current_database())"
    : "SELECT p.page_count * s.page_size FROM pragma_page_count AS p, "
      "pragma_page_size AS s";
}

/// Begins to read, on a new connection where the old one is lost.
expected<void> begin_reading(connection& on) {
  auto begun = on.begin_reading();
  if (begun || begun.error().code != ec::unavailable)
    return begun;
  WEIR_TRY(on.open());
  return on.begin_reading();
}

} // namespace

reader::reader(std::unique_ptr<connection> on)
  : on_{std::move(on)},
    identity_{*on_, "identity",
              "SELECT a.value, b.value FROM meta AS a, meta AS b "
              "WHERE a.key = 'store_id' AND b.key = 'ping_key'",
              "tt"},
    now_{*on_, "now", now_text(on_->speaks()), "i"},
    queues_{*on_, "queues",
            view_text() + "WHERE a.no > :after ORDER BY a.no LIMIT :rows_max",
            view_types},
    queue_{*on_, "queue", view_text() + "WHERE a.id = :id", view_types},
    letters_{*on_, "dead letters", letters_text(""),
             std::string{letter_types} + "i"},
    letters_of_{*on_, "dead letters of",
                letters_text(" AND appservice = :appservice"),
                std::string{letter_types} + "i"},
    letter_{*on_, "dead letter",
            "SELECT " + std::string{letter_columns}
              + ", bytes FROM dead_letter WHERE id = :id",
            std::string{letter_types} + "t"},
    quarantined_{*on_, "quarantined", bodies_text(""), body_types},
    quarantined_of_{*on_, "quarantined of",
                    bodies_text(" AND appservice = :appservice"), body_types},
    body_{*on_, "quarantined body",
          "SELECT " + std::string{body_columns}
            + ", body FROM quarantine WHERE id = :id",
          std::string{body_types} + "b"},
    owed_{*on_},
    kept_by_{*on_, "count kept", kept_counts_text, kept_counts_types},
    commands_{*on_, "commands",
              "SELECT id, target, verb, by, at, result FROM command "
              "WHERE id < :before ORDER BY id DESC LIMIT :rows_max",
              "itttit"},
    kept_{*on_, "kept",
          "SELECT d.bytes, q.bytes FROM kept_bytes AS d, kept_bytes AS q "
          "WHERE d.kind = 'dead_letter' AND q.kind = 'quarantine'",
          "ii"},
    database_bytes_{*on_, "database bytes", database_bytes_text(on_->speaks()),
                    "i"},
    of_snapshots_{*on_},
    realms_{*on_} {
}

template <class... Arguments>
expected<void> reader::ask(statement& which, const Arguments&... arguments) {
  // A new connection would be another snapshot.
  WEIR_ASSERT(!on_->in_transaction());
  auto asked = which.run(arguments...);
  if (asked || asked.error().code != ec::unavailable)
    return asked;
  WEIR_TRY(on_->open());
  return which.run(arguments...);
}

expected<std::unique_ptr<store_snapshot>>
reader::open_snapshot(snapshot_access) {
  WEIR_TRY(begin_reading(*on_));
  return std::make_unique<snapshot>(*on_, of_snapshots_, realms_);
}

expected<store_identity> reader::identity() {
  WEIR_TRY(ask(identity_));
  WEIR_TRY(auto found, identity_.next());
  if (!found)
    return fail(ec::corrupt, "identity: none is stored");
  store_identity drawn;
  drawn.store_id = identity_.text(0);
  drawn.ping_key = identity_.text(1);
  identity_.done();
  return drawn;
}

expected<stored_time> reader::now() {
  WEIR_TRY(ask(now_));
  WEIR_TRY(auto found, now_.next());
  if (!found)
    return fail(ec::corrupt, "now: no clock offset is stored");
  const auto when = now_.when(0);
  now_.done();
  return when;
}

expected<std::vector<queue_view>> reader::queues(page_request page) {
  WEIR_TRY(ask(queues_, page.after, as_count(page.rows_max)));
  std::vector<queue_view> views;
  while (true) {
    WEIR_TRY(auto found, queues_.next());
    if (!found)
      return views;
    WEIR_TRY(auto view, read_view(queues_));
    views.push_back(std::move(view));
  }
}

expected<std::optional<queue_view>> reader::queue(const appservice_id& id) {
  WEIR_TRY(ask(queue_, id.value));
  WEIR_TRY(auto found, queue_.next());
  std::optional<queue_view> view;
  if (found) {
    WEIR_TRY(view, read_view(queue_));
  }
  queue_.done();
  return view;
}

expected<std::vector<dead_letter_row>>
reader::dead_letters(const std::optional<appservice_id>& of,
                     page_request page) {
  auto& listing = of ? letters_of_ : letters_;
  if (of) {
    WEIR_TRY(ask(letters_of_, page.after, of->value, as_count(page.rows_max)));
  } else {
    WEIR_TRY(ask(letters_, page.after, as_count(page.rows_max)));
  }
  std::vector<dead_letter_row> rows;
  while (true) {
    WEIR_TRY(auto found, listing.next());
    if (!found)
      return rows;
    rows.push_back(read_letter(listing));
    rows.back().size = listing.count(letter_types.size());
  }
}

expected<std::optional<dead_letter_row>> reader::dead_letter(int64_t id) {
  WEIR_TRY(ask(letter_, id));
  WEIR_TRY(auto found, letter_.next());
  std::optional<dead_letter_row> row;
  if (found) {
    row = read_letter(letter_);
    row->item.bytes = letter_.text(letter_types.size());
  }
  letter_.done();
  return row;
}

expected<std::vector<quarantine_row>>
reader::quarantined(const std::optional<appservice_id>& of, page_request page) {
  auto& listing = of ? quarantined_of_ : quarantined_;
  if (of) {
    WEIR_TRY(ask(listing, page.after, of->value, as_count(page.rows_max)));
  } else {
    WEIR_TRY(ask(listing, page.after, as_count(page.rows_max)));
  }
  std::vector<quarantine_row> rows;
  while (true) {
    WEIR_TRY(auto found, listing.next());
    if (!found)
      return rows;
    rows.push_back(read_body(listing));
  }
}

expected<std::optional<quarantine_row>> reader::quarantined_body(int64_t id) {
  WEIR_TRY(ask(body_, id));
  WEIR_TRY(auto found, body_.next());
  std::optional<quarantine_row> row;
  if (found) {
    row = read_body(body_);
    row->size = 0;
    row->body = body_.text(body_types.size());
  }
  body_.done();
  return row;
}

expected<std::vector<owed_row>> reader::owed(const appservice_id& of,
                                             uint64_t after, size_t rows_max,
                                             size_t bytes_max) {
  WEIR_TRY(const auto found, queue(of));
  if (!found)
    return std::vector<owed_row>{};
  return owed_.read(found->row.no, after, rows_max, bytes_max);
}

expected<kept_counts> reader::kept_by(const appservice_id& of) {
  WEIR_TRY(ask(kept_by_, of.value));
  WEIR_TRY(auto found, kept_by_.next());
  if (!found)
    return fail(ec::rejected, "count kept: the statement gave no row");
  const auto counts = read_kept_counts(kept_by_);
  kept_by_.done();
  return counts;
}

expected<std::vector<command_row>> reader::commands(int64_t before,
                                                    size_t rows_max) {
  WEIR_TRY(ask(commands_, before, as_count(rows_max)));
  std::vector<command_row> rows;
  while (true) {
    WEIR_TRY(auto found, commands_.next());
    if (!found)
      break;
    rows.push_back({commands_.number(0), commands_.text(1), commands_.text(2),
                    commands_.text(3), commands_.when(4), commands_.text(5)});
  }
  std::ranges::reverse(rows);
  return rows;
}

expected<kept_totals> reader::kept() {
  WEIR_TRY(ask(kept_));
  WEIR_TRY(auto found, kept_.next());
  if (!found)
    return fail(ec::corrupt, "kept: no totals are stored");
  const kept_totals totals{kept_.count(0), kept_.count(1)};
  kept_.done();
  return totals;
}

expected<uint64_t> reader::database_bytes() {
  WEIR_TRY(ask(database_bytes_));
  WEIR_TRY(auto found, database_bytes_.next());
  const auto bytes = found ? database_bytes_.count(0) : 0;
  database_bytes_.done();
  return bytes;
}

} // namespace weir::sql
