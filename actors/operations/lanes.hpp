#pragma once

#include "actors/messages/store.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// The lanes other than events, inside the open batch. What is pinned is never
/// touched: ephemeral elements are merged and dropped before they have a seq,
/// values are put only into rows behind the pin. Source: R22, R23 of the
/// appservice rules.
namespace weir::operations {

/// Stores the elements of one accept, or puts them into what is owed already:
/// events, to-device and unknown keys as rows in their order, device lists and
/// key counts merged. All lanes of a transaction with unknown keys are rows.
/// Returns the ephemeral elements that are left, without arrivals yet; the
/// caller has them pinned or kept.
expected<std::vector<waiting_row>>
take_in(store& db, const batch_context& batch, queue_row& queue,
        std::span<const element* const> chosen);

/// Stores what was not pinned, and drops the oldest beyond the bounds.
expected<void> keep_waiting(store& db, queue_row& queue,
                            std::vector<waiting_row> fresh,
                            const policy::lane_rules& rules);

/// Drops what waits and is too old. Returns the rest, oldest first.
expected<std::vector<waiting_row>> drop_old(store& db,
                                            const batch_context& batch,
                                            queue_row& queue,
                                            const policy::lane_rules& rules);

/// Drops the ephemeral rows among `rows` that are too old. Of a queue without a
/// pin: rows of a retired transaction.
expected<void> drop_old_rows(store& db, const batch_context& batch,
                             queue_row& queue, const policy::lane_rules& rules,
                             std::vector<owed_row>& rows);

/// Makes rows of waiting elements: they get the highest seqs of their queue.
/// @param chosen The first `stored` are in the store and leave it.
expected<std::vector<owed_row>>
move_to_outbox(store& db, queue_row& queue, std::span<const waiting_row> chosen,
               size_t stored);

} // namespace weir::operations
