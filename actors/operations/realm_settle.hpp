#pragma once

#include "actors/messages/realm.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

namespace weir::operations {

/// Reads what is to be sent to a room next. Sends on the way that are not to be
/// sent any more get their outcome: cancelled, unsubscribed, skipped,
/// uncertain. Source: D9, E17, E21 of the realm rules.
expected<realm_send_begun> begin_send(store& db, batch_context& batch,
                                      const begin_realm_send& request);

/// Ends a send: its outcome, its row in the feed, and the end of its event when
/// it was the last, in one commit (G5). One that has its outcome, or was begun
/// anew since, is not touched.
expected<realm_send_settled> settle_send(store& db, batch_context& batch,
                                         const settle_realm_send& request);

/// Rows of the feed that each writes at most.
[[nodiscard]] uint64_t feed_rows_of(const begin_realm_send& request);
[[nodiscard]] uint64_t feed_rows_of(const settle_realm_send& request);

} // namespace weir::operations
