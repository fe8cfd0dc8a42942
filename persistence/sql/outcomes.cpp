#include "persistence/sql/outcomes.hpp"

namespace weir::sql {

outcomes::outcomes(connection& on)
  : record_{on, "record outcome",
            "INSERT INTO outcome (slot, pos, queue, subject, result, detail, "
            "events, at) VALUES (:slot, :pos, :queue, :subject, :result, "
            ":detail, :events, :at)"},
    put_status_{on, "put status",
                "INSERT INTO queue_status (queue, state, cause, since, "
                "next_at, last_error, last_error_at, attempts, as_of) VALUES "
                "(:queue, :state, :cause, :since, :next_at, :last_error, "
                ":last_error_at, :attempts, :as_of) ON CONFLICT (queue) "
                "DO UPDATE SET state = excluded.state, "
                "cause = excluded.cause, since = excluded.since, "
                "next_at = excluded.next_at, "
                "last_error = excluded.last_error, "
                "last_error_at = excluded.last_error_at, "
                "attempts = excluded.attempts, as_of = excluded.as_of"},
    count_{on, "count outcomes", "SELECT count(*) FROM outcome", "i"},
    oldest_{on, "oldest outcomes",
            "SELECT at, slot, pos FROM outcome ORDER BY at, slot, pos "
            "LIMIT :max",
            "iii"},
    remove_{on, "forget outcomes",
            "DELETE FROM outcome "
            "WHERE (at, slot, pos) <= (:at, :slot, :pos)"} {
}

expected<void> outcomes::record(const outcome_row& row) {
  return record_.run(row.slot, row.pos, row.queue, row.subject, row.result,
                     row.detail, row.events, row.at);
}

expected<void> outcomes::put_status(const queue_status_row& row) {
  return put_status_.run(row.queue, row.state, row.cause, row.since,
                         row.next_at, row.last_error, row.last_error_at,
                         row.attempts, row.as_of);
}

expected<uint64_t> outcomes::forget_outcomes(stored_time before,
                                             size_t keep_max, size_t rows_max) {
  WEIR_TRY(count_.run());
  WEIR_TRY(auto found, count_.next());
  const uint64_t rows = found ? count_.count(0) : 0;
  count_.done();
  const uint64_t too_many = rows > keep_max ? rows - keep_max : 0;
  WEIR_TRY(oldest_.run(as_count(rows_max)));
  struct place {
    int64_t at, slot, pos;
  };
  std::optional<place> last;
  for (uint64_t index = 0;; ++index) {
    WEIR_TRY(found, oldest_.next());
    if (!found || (index >= too_many && oldest_.when(0) >= before))
      break;
    last = {oldest_.number(0), oldest_.number(1), oldest_.number(2)};
  }
  oldest_.done();
  if (!last)
    return uint64_t{0};
  WEIR_TRY(remove_.run(last->at, last->slot, last->pos));
  return remove_.changed();
}

} // namespace weir::sql
