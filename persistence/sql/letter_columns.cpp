#include "persistence/sql/letter_columns.hpp"

namespace weir::sql {

dead_letter_row read_letter(statement& from) {
  dead_letter_row row;
  row.id = from.number(0);
  row.appservice = {from.text(1)};
  row.seq = from.count(2);
  row.item.kind = static_cast<lane>(from.number(3));
  row.item.id_hash = from.count(4);
  row.attempts = static_cast<uint32_t>(from.number(5));
  row.accepted_at = from.when(6);
  row.buried_at = from.when(7);
  row.reason = from.text(8);
  row.item.keys = from.text(9);
  row.item.event_id = from.text(10);
  return row;
}

} // namespace weir::sql
