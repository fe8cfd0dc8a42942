#pragma once

#include "actors/messages/realm_control.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

/// What time does to a realm, and what actors note of it, each inside the open
/// batch and no more than some rows at once.
namespace weir::operations {

/// Ends what has outlived its time: queued events but completions, of which
/// only their turn can tell, and bound sends too old to be repeated. Source: D9
/// and D15 of the realm rules.
expected<realm_expired> expire(store& db, batch_context& batch,
                               const expire_realm& request);

/// Makes room for another realm's events (D5).
expected<realm_dropped> drop_lossy(store& db, batch_context& batch,
                                   const drop_realm_lossy& request);

expected<stored> note_try(store& db, const batch_context& batch,
                          const note_realm_try& request);

/// Source: E22 of the realm rules.
expected<realm_forgotten> forget_some(store& db, batch_context& batch,
                                      const forget_realm& request);

expected<realm_loaded> load_lanes(store& db, batch_context& batch,
                                  const load_realm& request);
expected<realm_page> list(store& db, const batch_context& batch,
                          const list_realms& request);

expected<stored> pause_account(store& db, const batch_context& batch,
                               const store_account_pause& request);
expected<stored> hold(store& db, const batch_context& batch,
                      const hold_account& request);
expected<account_loaded> account(store& db, const batch_context& batch,
                                 const load_account& request);

[[nodiscard]] uint64_t feed_rows_of(const expire_realm& request);
[[nodiscard]] uint64_t feed_rows_of(const drop_realm_lossy& request);

} // namespace weir::operations
