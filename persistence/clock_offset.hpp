#pragma once

#include "persistence/store.hpp"

namespace weir {

/// Goes back to the database's own time: sets `clock_offset` to 0 when nothing
/// is scheduled by the present one, which is when nothing is owed and no queue
/// rests. What is remembered for a time keeps its age. To be called at a start,
/// by the one process of the database, before it takes a slot.
///
/// @return The offset that was given up; 0 when there was none or it must stay.
/// Errors: those of `open_store`.
expected<milliseconds> give_up_clock_offset(const store_options& options);

} // namespace weir
