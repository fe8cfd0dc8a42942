#pragma once

#include "actors/messages/realm.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

namespace weir::operations {

/// Takes events of a realm in, each or a reason why not, and what merges into
/// the tail in this very commit. Source: E22, D4, D5, E10, E13 of the realm
/// rules.
expected<realm_events_taken> submit_events(store& db, batch_context& batch,
                                           const submit_realm_events& request);

/// Rows of the feed that it writes at most.
[[nodiscard]] uint64_t feed_rows_of(const submit_realm_events& request);

} // namespace weir::operations
