#pragma once

#include "actors/messages/store.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

/// The bounds of an outbox, inside the open batch. What is pinned is never
/// touched, and one commit gives up at most `limits::overflow_rows_max` rows.
/// Source: R23 of the appservice rules.
namespace weir::operations {

/// Whether nothing more may be taken in.
[[nodiscard]] bool is_full(const queue_row& queue, const queue_bounds& bounds);

/// Under `dead_letter_oldest`, gives up the oldest rows above the pin of a
/// queue at its bound. It stays full when that is not enough, or the dead
/// letters are. The caller saves the row.
expected<void> make_room(store& db, const batch_context& batch,
                         queue_row& queue, const queue_bounds& bounds);

/// Makes dead letters of events above the pin that outlived their bound, as
/// long as there is room for them. The caller saves the row.
expected<void> bury_outlived(store& db, const batch_context& batch,
                             queue_row& queue, const queue_bounds& bounds);

/// Judges anew which bounds are near, and tells what became of the queue at
/// them since `before`. The caller saves the row.
bounds_news note_bounds(const queue_row& before, queue_row& queue,
                        const queue_bounds& bounds);

} // namespace weir::operations
