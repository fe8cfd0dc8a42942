#include "persistence/sql/slot_columns.hpp"

namespace weir::sql {

slot_row read_slot_row(statement& from) {
  slot_row row;
  row.slot = static_cast<uint32_t>(from.number(0));
  row.owner = from.text(1);
  row.epoch = from.count(2);
  row.run = from.count(3);
  row.beat = from.count(4);
  row.pos = from.count(5);
  return row;
}

} // namespace weir::sql
