#pragma once

#include "actors/messages/realms.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

namespace weir::operations {

/// Ends sends, notes tries and begins sends of one realm, in this order.
expected<realm_worked> work(store& db, batch_context& batch,
                            const work_realm& request);

/// Rows of the feed that it writes at most.
[[nodiscard]] uint64_t feed_rows_of(const work_realm& request);

} // namespace weir::operations
