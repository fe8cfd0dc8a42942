#pragma once

#include "persistence/sql/statement.hpp"

#include <cstdint>
#include <optional>

namespace weir::sql {

/// The last of the oldest rows that is to be forgotten; nothing when none is.
/// @param oldest Has run: rows in the order of their first column, a number;
/// the second says when the row was written.
/// @param too_many So many go for their number, others before `before`.
expected<std::optional<int64_t>>
last_to_forget(statement& oldest, uint64_t too_many, stored_time before);

} // namespace weir::sql
