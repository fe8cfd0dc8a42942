#include "persistence/sql/outcomes.hpp"

#include "persistence/sql/status_columns.hpp"

namespace weir::sql {

outcomes::outcomes(connection& on)
  : record_{on, "record outcome",
            "INSERT INTO outcome (slot, pos, queue, subject, result, detail, "
            "events, at, nth) VALUES (:slot, :pos, :queue, :subject, :result, "
            ":detail, :events, :at, coalesce((SELECT nth FROM outcome "
            "WHERE slot = :slot ORDER BY pos DESC LIMIT 1), 0) + 1)"},
    put_status_{on, "put status",
                "INSERT INTO queue_status (queue, state, cause, since, "
                "next_at, last_error, last_error_at, attempts, as_of, "
                "sending_since, subject, last_error_text) VALUES "
                "(:queue, :state, :cause, :since, :next_at, :last_error, "
                ":last_error_at, :attempts, :as_of, :sending_since, "
                ":subject, :last_error_text) "
                "ON CONFLICT (queue) "
                "DO UPDATE SET state = excluded.state, "
                "cause = excluded.cause, since = excluded.since, "
                "next_at = excluded.next_at, "
                "last_error = excluded.last_error, "
                "last_error_at = excluded.last_error_at, "
                "attempts = excluded.attempts, as_of = excluded.as_of, "
                "sending_since = excluded.sending_since, "
                "subject = excluded.subject, "
                "last_error_text = excluded.last_error_text"},
    find_status_{on, "find status",
                 "SELECT " + status_columns("")
                   + " FROM queue_status WHERE queue = :queue",
                 std::string{status_column_types}},
    next_slot_{on, "slots of outcomes",
               "SELECT min(slot) FROM outcome WHERE slot > :after", "i"},
    ends_{on, "outcome ends",
          "SELECT (SELECT nth FROM outcome WHERE slot = :slot "
          "ORDER BY pos LIMIT 1), (SELECT nth FROM outcome "
          "WHERE slot = :slot ORDER BY pos DESC LIMIT 1)",
          "ii"},
    oldest_{on, "oldest outcomes",
            "SELECT pos, at FROM outcome WHERE slot = :slot "
            "ORDER BY pos LIMIT :max",
            "ii"},
    remove_{on, "forget outcomes",
            "DELETE FROM outcome WHERE slot = :slot AND pos <= :pos"},
    note_{on, "note forgotten outcomes",
          "INSERT INTO outcome_forgotten (slot, pos) VALUES (:slot, :pos) "
          "ON CONFLICT (slot) DO UPDATE SET pos = excluded.pos "
          "WHERE outcome_forgotten.pos < excluded.pos"} {
}

expected<void> outcomes::record(const outcome_row& row) {
  return record_.run(row.slot, row.pos, row.queue, row.subject, row.result,
                     row.detail, row.events, row.at);
}

expected<void> outcomes::put_status(const queue_status_row& row) {
  return put_status_.run(row.queue, row.state, row.cause, row.since,
                         row.next_at, row.last_error, row.last_error_at,
                         row.attempts, row.as_of, row.sending_since,
                         row.subject, row.last_error_text);
}

expected<std::optional<queue_status_row>>
outcomes::find_status(const std::string& queue) {
  WEIR_TRY(find_status_.run(queue));
  WEIR_TRY(const auto found, find_status_.next());
  std::optional<queue_status_row> row;
  if (found)
    row = read_status(find_status_, 0, queue);
  find_status_.done();
  return row;
}

expected<std::optional<int64_t>> outcomes::slot_after(int64_t slot) {
  WEIR_TRY(next_slot_.run(slot));
  WEIR_TRY(const auto found, next_slot_.next());
  std::optional<int64_t> next;
  if (found && !next_slot_.null(0))
    next = next_slot_.number(0);
  next_slot_.done();
  return next;
}

expected<outcomes::old_rows> outcomes::oldest_of(int64_t slot,
                                                 size_t rows_max) {
  old_rows of;
  of.slot = slot;
  WEIR_TRY(ends_.run(slot));
  WEIR_TRY(auto found, ends_.next());
  if (found && !ends_.null(0))
    of.held = ends_.count(1) - ends_.count(0) + 1;
  ends_.done();
  WEIR_TRY(oldest_.run(slot, as_count(rows_max)));
  while (true) {
    WEIR_TRY(found, oldest_.next());
    if (!found)
      return of;
    of.rows.push_back({oldest_.number(0), oldest_.when(1)});
  }
}

/// The slot whose next row is the oldest; none when all rows are to go.
outcomes::old_rows* outcomes::oldest(std::vector<old_rows>& slots) {
  old_rows* found = nullptr;
  for (auto& each : slots) {
    if (each.leaving < each.rows.size()
        && (found == nullptr
            || each.rows[each.leaving].at < found->rows[found->leaving].at))
      found = &each;
  }
  return found;
}

expected<uint64_t> outcomes::forget_outcomes(stored_time before,
                                             size_t keep_max, size_t rows_max) {
  std::vector<old_rows> slots;
  uint64_t held = 0;
  int64_t last = -1;
  while (true) {
    WEIR_TRY(const auto slot, slot_after(last));
    if (!slot)
      break;
    WEIR_TRY(auto of, oldest_of(*slot, rows_max));
    held += of.held;
    slots.push_back(std::move(of));
    last = *slot;
  }
  const uint64_t too_many = held > keep_max ? held - keep_max : 0;
  uint64_t forgotten = 0;
  for (auto* from = oldest(slots); from != nullptr && forgotten < rows_max;
       from = oldest(slots)) {
    if (forgotten >= too_many && from->rows[from->leaving].at >= before)
      break;
    ++from->leaving;
    ++forgotten;
  }
  for (const auto& each : slots) {
    if (each.leaving > 0) {
      const auto gone = each.rows[each.leaving - 1].pos;
      WEIR_TRY(remove_.run(each.slot, gone));
      WEIR_TRY(note_.run(each.slot, gone));
    }
  }
  return forgotten;
}

} // namespace weir::sql
