#pragma once

#include "actors/messages/store.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

namespace weir::operations {

/// Ends a pinned transaction and pins the next, inside the open batch: the
/// removal of rows, the cursor, the outcome and the next pin are one commit
/// (G5). An id that is not pinned changes nothing. Source: R14, R17, R18.
expected<transaction_settled> settle(store& db, batch_context& batch,
                                     const settle_transaction& request);

/// Reads what a queue is owed, pinning when it must.
expected<queue_loaded> load(store& db, const batch_context& batch,
                            const load_queue& request);

} // namespace weir::operations
