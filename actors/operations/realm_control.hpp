#pragma once

#include "actors/messages/realm_control.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

/// What producers and operators have done with a realm and its events, each
/// inside the open batch.
namespace weir::operations {

/// Ends a queued event; marks one that is bound, so that its sends end at the
/// heads of their lanes unless they were begun.
expected<realm_event_cancelled> cancel_event(store& db, batch_context& batch,
                                             const cancel_realm_event& request);

/// Begins dead letters anew, each under a transaction id of its own.
expected<realm_event_redelivered>
redeliver_event(store& db, batch_context& batch,
                const redeliver_realm_event& request);

/// With its row in table `command` when it changes something.
expected<realm_halted> halt(store& db, batch_context& batch,
                            const halt_realm& request);

/// Source: E17 of the realm rules.
expected<realm_deleted> delete_some(store& db, batch_context& batch,
                                    const delete_realm& request);

[[nodiscard]] uint64_t feed_rows_of(const cancel_realm_event& request);
[[nodiscard]] uint64_t feed_rows_of(const delete_realm& request);

} // namespace weir::operations
