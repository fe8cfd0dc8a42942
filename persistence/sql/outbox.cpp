#include "persistence/sql/outbox.hpp"

#include <algorithm>

namespace weir::sql {

namespace {

constexpr std::string_view owed_columns
  = "place, came_with, alone, lane, id_hash, accepted_at, keys, event_id, "
    "bytes";
constexpr std::string_view owed_column_types = "iiiiiitbt";

/// A row's place is its queue's number times this, plus its seq: the queue's
/// rows are a stretch of one key. Enough for a thousand events a second over 34
/// years, and for eight million appservices.
constexpr uint64_t places_per_queue = uint64_t{1} << 40;
constexpr uint64_t last_seq = places_per_queue - 1;
constexpr queue_no last_queue = (queue_no{1} << 23) - 1;

/// Of one statement that appends on PostgreSQL. A transaction of the largest
/// body in one statement would take longer than a statement may on a slow
/// server; this much takes one that writes 1 MiB a second four of its five.
constexpr size_t append_bytes_max = size_t{4} << 20;

std::string lock_text(const dialect& speaks) {
  return "SELECT " + queue_columns("") + " FROM appservice WHERE id = :id"
    + std::string{speaks.for_update()};
}

std::string append_text(const dialect& speaks) {
  const std::string into
    = "INSERT INTO outbox (" + std::string{owed_columns} + ") ";
  if (!speaks.postgresql)
    return into
      + "VALUES (:place, :came_with, :alone, :lane, :id_hash, "
        ":accepted_at, :keys, "
      + speaks.bytes(":event_id") + ", :bytes)";
  return into
    + "SELECT given.* FROM unnest("
      "CAST(:place AS BIGINT[]), CAST(:came_with AS BIGINT[]), "
      "CAST(:alone AS BIGINT[]), CAST(:lane AS BIGINT[]), "
      "CAST(:id_hash AS BIGINT[]), CAST(:accepted_at AS BIGINT[]), "
      "CAST(:keys AS TEXT[]), CAST(:event_id AS BYTEA[]), "
      "CAST(:bytes AS TEXT[])) AS given";
}

std::string owed_text(const dialect& speaks) {
  const std::string columns{owed_columns};
  std::string head = "SELECT " + columns
    + " FROM outbox WHERE place > :after AND place <= :end "
      "ORDER BY place LIMIT :rows_max";
  if (!speaks.postgresql)
    return head;
  // All rows would cross the wire before the first is looked at.
  return "SELECT " + columns
    + " FROM (SELECT *, sum(octet_length(bytes)) OVER (ORDER BY place) "
      "- octet_length(bytes) AS before FROM outbox "
      "WHERE place > :after AND place <= :end "
      "ORDER BY place LIMIT :rows_max) AS counted "
      "WHERE before <= CAST(:bytes_max AS BIGINT) ORDER BY place";
}

/// How many of `rows` go into one statement: at least one.
size_t rows_of_one_append(std::span<const owed_row> rows) {
  size_t count = 0;
  size_t bytes = 0;
  do
    bytes += rows[count++].item.bytes.size();
  while (count < rows.size()
         && bytes + rows[count].item.bytes.size() <= append_bytes_max);
  return count;
}

owed_row read_row(statement& from) {
  owed_row row;
  row.seq = seq_at(from.number(0));
  row.came_with = from.count(1);
  row.alone = from.number(2) != 0;
  row.item.kind = static_cast<lane>(from.number(3));
  row.item.id_hash = from.count(4);
  row.accepted_at = from.when(5);
  row.item.keys = from.text(6);
  row.item.event_id = from.text(7);
  row.item.bytes = from.text(8);
  return row;
}

/// All rows that a statement has found.
expected<std::vector<owed_row>> read_rows(statement& from) {
  std::vector<owed_row> rows;
  while (true) {
    WEIR_TRY(auto found, from.next());
    if (!found)
      return rows;
    rows.push_back(read_row(from));
  }
}

} // namespace

int64_t place_of(queue_no queue, uint64_t seq) {
  return queue * static_cast<int64_t>(places_per_queue)
    + static_cast<int64_t>(std::min(seq, last_seq));
}

uint64_t seq_at(int64_t place) {
  return static_cast<uint64_t>(place) % places_per_queue;
}

bool has_place(queue_no queue, uint64_t seq) {
  return queue <= last_queue && seq <= last_seq;
}

owed_reading::owed_reading(connection& on)
  : speaks_{on.speaks()},
    owed_{on, "read owed", owed_text(speaks_), owed_column_types} {
}

expected<std::vector<owed_row>> owed_reading::read(queue_no queue,
                                                   uint64_t after,
                                                   size_t rows_max,
                                                   size_t bytes_max) {
  if (speaks_.postgresql) {
    WEIR_TRY(owed_.run(place_of(queue, after), place_of(queue, last_seq),
                       as_count(rows_max), as_count(bytes_max)));
  } else {
    WEIR_TRY(owed_.run(place_of(queue, after), place_of(queue, last_seq),
                       as_count(rows_max)));
  }
  std::vector<owed_row> rows;
  size_t bytes = 0;
  while (bytes <= bytes_max) {
    WEIR_TRY(auto found, owed_.next());
    if (!found)
      break;
    rows.push_back(read_row(owed_));
    bytes += rows.back().item.bytes.size();
  }
  owed_.done();
  return rows;
}

outbox::outbox(connection& on)
  : speaks_{on.speaks()},
    lock_{on, "lock queue", lock_text(speaks_), queue_column_types},
    adopt_{on, "adopt queue",
           "INSERT INTO appservice (id, next_seq, next_txn, acked, "
           "owed_events, owed_others, owed_bytes, delivered_stream_ordering, "
           "not_before, paused_by, suspect_first, suspect_last, byte_cap, "
           "delivered_transactions, delivered_events) "
           // Numbers of one that was removed are not given again.
           "SELECT id, seq, txn, seq - 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 "
           "FROM (SELECT id, coalesce((SELECT max(next_seq) FROM removal "
           "WHERE appservice = id), 1) AS seq, coalesce((SELECT max(next_txn) "
           "FROM removal WHERE appservice = id), 1) AS txn "
           "FROM (SELECT CAST(:id AS TEXT) AS id) AS asked) AS given "
           "WHERE true "
           "ON CONFLICT (id) DO NOTHING"},
    save_{on, "save queue",
          "UPDATE appservice SET next_seq = :next_seq, next_txn = :next_txn, "
          "pin_id = :pin_id, pin_format = :pin_format, "
          "pin_lanes = :pin_lanes, pin_sha256 = :pin_sha256, "
          "pin_events = :pin_events, pin_others = :pin_others, "
          "pin_bytes = :pin_bytes, acked = :acked, "
          "owed_events = :owed_events, owed_others = :owed_others, "
          "owed_bytes = :owed_bytes, delivered_stream_ordering = :delivered, "
          "not_before = :not_before, paused_by = :paused_by, "
          "suspect_first = :suspect_first, suspect_last = :suspect_last, "
          "byte_cap = :byte_cap, delivered_transactions = :transactions, "
          "delivered_events = :events, waiting = :waiting, "
          "waiting_bytes = :waiting_bytes, merged = :merged, "
          "dropped = :dropped, halted_at = :halted_at, "
          "halted_by = :halted_by, halt_reason = :halt_reason, "
          "orderings = :orderings, ordered_seq = :ordered_seq, "
          "overflowed = :overflowed, near_bounds = :near_bounds, "
          "removed_at = :removed_at "
          "WHERE no = :no"},
    append_{on, "append", append_text(speaks_)},
    owed_{on},
    range_{on, "read range",
           "SELECT " + std::string{owed_columns}
             + " FROM outbox WHERE place BETWEEN :first AND :last "
               "AND lane = :lane ORDER BY place",
           owed_column_types},
    // The lanes as numbers: the index is known by these very words.
    values_{on, "read values",
            "SELECT " + std::string{owed_columns}
              + " FROM outbox WHERE place > :after AND place <= :end "
                "AND lane IN (3, 4) ORDER BY place DESC LIMIT :rows_max",
            owed_column_types},
    rewrite_{on, "rewrite",
             "UPDATE outbox SET bytes = :bytes WHERE place = :place"},
    remove_{on, "remove range",
            "DELETE FROM outbox WHERE place BETWEEN :first AND :last "
            "AND lane = :lane"},
    queues_{on, "owed queues",
            "SELECT id FROM appservice WHERE id > :after AND EXISTS "
            "(SELECT 1 FROM outbox WHERE place BETWEEN no * 1099511627776 "
            "AND no * 1099511627776 + 1099511627775) "
            "ORDER BY id LIMIT :rows_max",
            "t"} {
}

expected<std::optional<queue_row>> outbox::lock_queue(const appservice_id& id) {
  WEIR_TRY(lock_.run(id.value));
  WEIR_TRY(auto found, lock_.next());
  std::optional<queue_row> row;
  if (found) {
    WEIR_TRY(row, read_queue(lock_, 0));
  }
  lock_.done();
  return row;
}

expected<queue_row> outbox::adopt_queue(const appservice_id& id) {
  // Looked for first: a conflict would draw a number of the sequence for good.
  WEIR_TRY(auto row, lock_queue(id));
  if (!row) {
    WEIR_TRY(adopt_.run(id.value));
    WEIR_TRY(row, lock_queue(id));
  }
  if (!row)
    return fail(ec::rejected, "adopt queue: the row did not stay");
  return std::move(*row);
}

expected<void> outbox::save_queue(const queue_row& row) {
  std::optional<std::string> id;
  std::optional<int64_t> format;
  std::optional<std::string> lanes;
  std::optional<std::string> sha256;
  std::optional<int64_t> events;
  std::optional<int64_t> others;
  std::optional<int64_t> bytes;
  if (row.pinned) {
    id = row.pinned->id.value;
    format = row.pinned->format;
    lanes = lanes_text(row.pinned->lanes);
    sha256 = row.pinned->sha256;
    events = static_cast<int64_t>(row.pinned->events);
    others = static_cast<int64_t>(row.pinned->others);
    bytes = static_cast<int64_t>(row.pinned->bytes);
  }
  const halt none;
  const auto& halted = row.halted ? *row.halted : none;
  WEIR_TRY(save_.run(
    row.next_seq, row.next_txn, id, format, lanes, sha256, events, others,
    bytes, row.acked, row.owed_events, row.owed_others, row.owed_bytes,
    row.delivered_stream_ordering, row.not_before,
    static_cast<int64_t>(row.paused_by), row.suspect_first, row.suspect_last,
    row.byte_cap, row.delivered_transactions, row.delivered_events, row.waiting,
    row.waiting_bytes, row.merged, row.dropped, halted.since, halted.by,
    halted.reason, row.orderings, row.ordered_seq, row.overflowed,
    row.near_bounds, row.removed_at, row.no));
  if (save_.changed() != 1)
    return fail(ec::rejected, "save queue: no such row");
  return ok();
}

expected<void> outbox::append(queue_no queue, std::span<const owed_row> rows) {
  if (!rows.empty() && !has_place(queue, rows.back().seq))
    return fail(ec::rejected, "append: the numbers of the outbox are used up");
  if (!speaks_.postgresql)
    return append_one_by_one(queue, rows);
  while (!rows.empty()) {
    const auto count = rows_of_one_append(rows);
    WEIR_TRY(append_at_once(queue, rows.first(count)));
    rows = rows.subspan(count);
  }
  return ok();
}

expected<void> outbox::append_one_by_one(queue_no queue,
                                         std::span<const owed_row> rows) {
  for (const auto& row : rows) {
    WEIR_TRY(append_.run(place_of(queue, row.seq), row.came_with, row.alone,
                         static_cast<int64_t>(row.item.kind), row.item.id_hash,
                         row.accepted_at, row.item.keys,
                         raw_bytes{row.item.event_id}, row.item.bytes));
  }
  return ok();
}

expected<void> outbox::append_at_once(queue_no queue,
                                      std::span<const owed_row> rows) {
  array_literal place, came_with, alone, kind, id_hash, at, keys, event_id,
    bytes;
  for (const auto& row : rows) {
    place.add(place_of(queue, row.seq));
    came_with.add(as_count(row.came_with));
    alone.add(row.alone ? 1 : 0);
    kind.add(static_cast<int64_t>(row.item.kind));
    id_hash.add(signed_pattern(row.item.id_hash));
    at.add(row.accepted_at.ms);
    keys.add_text(row.item.keys);
    event_id.add_bytes(row.item.event_id);
    bytes.add_text(row.item.bytes);
  }
  return append_.run(place.close(), came_with.close(), alone.close(),
                     kind.close(), id_hash.close(), at.close(), keys.close(),
                     event_id.close(), bytes.close());
}

expected<std::vector<owed_row>> outbox::read_owed(queue_no queue,
                                                  uint64_t after,
                                                  size_t rows_max,
                                                  size_t bytes_max) {
  return owed_.read(queue, after, rows_max, bytes_max);
}

expected<std::vector<owed_row>>
outbox::read_ranges(queue_no queue, std::span<const lane_range> ranges) {
  std::vector<owed_row> rows;
  for (const auto& each : ranges) {
    WEIR_TRY(range_.run(place_of(queue, each.first), place_of(queue, each.last),
                        static_cast<int64_t>(each.kind)));
    WEIR_TRY(auto found, read_rows(range_));
    std::ranges::move(found, std::back_inserter(rows));
  }
  std::stable_sort(
    rows.begin(), rows.end(),
    [](const owed_row& a, const owed_row& b) { return a.seq < b.seq; });
  return rows;
}

expected<std::vector<owed_row>>
outbox::read_values(queue_no queue, uint64_t after, size_t rows_max) {
  WEIR_TRY(values_.run(place_of(queue, after), place_of(queue, last_seq),
                       as_count(rows_max)));
  WEIR_TRY(auto rows, read_rows(values_));
  std::ranges::reverse(rows);
  return rows;
}

expected<void> outbox::rewrite(queue_no queue, uint64_t seq,
                               std::string_view bytes) {
  WEIR_TRY(rewrite_.run(bytes, place_of(queue, seq)));
  if (rewrite_.changed() != 1)
    return fail(ec::rejected, "rewrite: no such row");
  return ok();
}

expected<uint64_t> outbox::remove(queue_no queue,
                                  std::span<const lane_range> ranges) {
  uint64_t removed = 0;
  for (const auto& each : ranges) {
    WEIR_TRY(remove_.run(place_of(queue, each.first),
                         place_of(queue, each.last),
                         static_cast<int64_t>(each.kind)));
    removed += remove_.changed();
  }
  return removed;
}

expected<std::vector<appservice_id>>
outbox::owed_queues(const appservice_id& after, size_t rows_max) {
  WEIR_TRY(queues_.run(after.value, as_count(rows_max)));
  std::vector<appservice_id> found;
  while (true) {
    WEIR_TRY(auto more, queues_.next());
    if (!more)
      break;
    found.push_back({queues_.text(0)});
  }
  return found;
}

} // namespace weir::sql
