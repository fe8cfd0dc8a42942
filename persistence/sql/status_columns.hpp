#pragma once

#include "persistence/rows.hpp"
#include "persistence/sql/statement.hpp"

#include <string>
#include <string_view>

/// The columns of table `queue_status` but its key, as they are read.
namespace weir::sql {

inline constexpr std::string_view status_column_types = "ttiitiiiitt";

/// Each behind `prefix`, as in `s.state, s.cause, …`.
std::string status_columns(std::string_view prefix);

/// The row whose columns begin at `first`.
queue_status_row read_status(statement& from, size_t first, std::string queue);

} // namespace weir::sql
