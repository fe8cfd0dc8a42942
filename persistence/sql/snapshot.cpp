#include "persistence/sql/snapshot.hpp"

#include "persistence/sql/slot_columns.hpp"

namespace weir::sql {

snapshot_statements::snapshot_statements(connection& on)
  : slots{on, "slots of a snapshot",
          "SELECT " + std::string{slot_columns} + " FROM slot ORDER BY slot",
          slot_types},
    run_end{on, "end of a run",
            "SELECT last_pos FROM slot_run "
            "WHERE slot = :slot AND run = :run",
            "i"},
    forgotten{on, "forgotten outcomes",
              "SELECT slot, pos FROM outcome_forgotten ORDER BY slot", "ii"},
    outcomes{on, "outcomes of a snapshot",
             "SELECT slot, pos, queue, subject, result, detail, events, at "
             "FROM outcome WHERE slot = :slot AND pos > :after "
             "AND pos <= :until ORDER BY pos LIMIT :rows_max",
             "iittttii"} {
}

expected<std::vector<slot_row>> snapshot::slots() {
  WEIR_TRY(by_.slots.run());
  std::vector<slot_row> rows;
  while (true) {
    WEIR_TRY(const auto found, by_.slots.next());
    if (!found)
      return rows;
    rows.push_back(read_slot_row(by_.slots));
  }
}

expected<std::optional<uint64_t>> snapshot::run_end(uint32_t slot,
                                                    uint64_t run) {
  // A token may name any 64 bits; both databases hold them signed.
  WEIR_TRY(by_.run_end.run(slot, signed_pattern(run)));
  WEIR_TRY(const auto found, by_.run_end.next());
  std::optional<uint64_t> end;
  if (found && !by_.run_end.null(0))
    end = by_.run_end.count(0);
  by_.run_end.done();
  return end;
}

expected<std::vector<forgotten_row>> snapshot::forgotten_outcomes() {
  WEIR_TRY(by_.forgotten.run());
  std::vector<forgotten_row> rows;
  while (true) {
    WEIR_TRY(const auto found, by_.forgotten.next());
    if (!found)
      return rows;
    rows.push_back(
      {static_cast<uint32_t>(by_.forgotten.number(0)), by_.forgotten.count(1)});
  }
}

expected<std::vector<outcome_row>> snapshot::outcomes(uint32_t slot,
                                                      uint64_t after,
                                                      uint64_t until,
                                                      size_t rows_max) {
  auto& from = by_.outcomes;
  WEIR_TRY(
    from.run(slot, as_count(after), as_count(until), as_count(rows_max)));
  std::vector<outcome_row> rows;
  while (true) {
    WEIR_TRY(const auto found, from.next());
    if (!found)
      return rows;
    outcome_row row;
    row.slot = slot;
    row.pos = from.count(1);
    row.queue = from.text(2);
    row.subject = from.text(3);
    row.result = from.text(4);
    row.detail = from.text(5);
    row.events = from.count(6);
    row.at = from.when(7);
    rows.push_back(std::move(row));
  }
}

} // namespace weir::sql
