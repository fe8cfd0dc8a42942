#pragma once

#include "actors/messages/store.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

/// The small writes, each inside the open batch.
namespace weir::operations {

expected<stored> pause(store& db, const batch_context& batch,
                       const store_pause& request);
expected<stored> publish(store& db, const batch_context& batch,
                         const publish_status& request);
expected<quarantined> quarantine(store& db, const batch_context& batch,
                                 const quarantine_body& request);
/// Nothing but the batch itself, which raises the slot's beat.
expected<stored> beat(store& db, const batch_context& batch,
                      const beat_slot& request);
expected<stored> adopt(store& db, const batch_context& batch,
                       const adopt_queues& request);
expected<forgotten> forget(store& db, const batch_context& batch,
                           const forget_old& request);
expected<owed_page> owed(store& db, const batch_context& batch,
                         const list_owed& request);

} // namespace weir::operations
