#pragma once

#include "persistence/rows.hpp"
#include "persistence/sql/statement.hpp"

#include <string_view>

namespace weir::sql {

/// The columns of table `slot` in one order, for `read_slot_row`.
inline constexpr std::string_view slot_columns
  = "slot, owner, epoch, run, beat, pos";
inline constexpr std::string_view slot_types = "itiiii";

slot_row read_slot_row(statement& from);

} // namespace weir::sql
