#pragma once

#include "actors/messages/realm.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

namespace weir::operations {

/// Ends events at the head that have nobody to go to, and binds the oldest of
/// the rest to its rooms when `policy::next_head_step` says so: the audience's
/// version and the first rows in one commit, the others in commits that follow.
/// Source: D11 as amended, D15, E11, Q41 of the realm rules.
expected<realm_bound> bind_event(store& db, batch_context& batch,
                                 const bind_realm_event& request);

/// Rows of the feed that it writes at most.
[[nodiscard]] uint64_t feed_rows_of(const bind_realm_event& request);

} // namespace weir::operations
