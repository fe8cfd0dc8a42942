#include "persistence/sql/commands.hpp"

namespace weir::sql {

commands::commands(connection& on)
  : record_{on, "record command",
            "INSERT INTO command (target, verb, by, at, result) VALUES "
            "(:target, :verb, :by, :at, :result) RETURNING id",
            "i"},
    forget_{on, "forget commands",
            "DELETE FROM command WHERE id IN (SELECT id FROM command "
            "WHERE id <= (SELECT id FROM command ORDER BY id DESC "
            "LIMIT 1 OFFSET :keep_max) ORDER BY id LIMIT :rows_max)"} {
}

expected<int64_t> commands::record(const command_row& row) {
  WEIR_TRY(record_.run(row.target, row.verb, row.by, row.at, row.result));
  WEIR_TRY(auto made, record_.next());
  if (!made)
    return fail(ec::rejected, "record command: the statement gave no row");
  const auto id = record_.number(0);
  record_.done();
  return id;
}

expected<uint64_t> commands::forget_commands(size_t keep_max, size_t rows_max) {
  WEIR_TRY(forget_.run(as_count(keep_max), as_count(rows_max)));
  return forget_.changed();
}

} // namespace weir::sql
