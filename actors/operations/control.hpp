#pragma once

#include "actors/messages/control.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

/// What operators have done with a queue, each inside the open batch and with
/// its row in table `command`. What changes nothing leaves no row.
namespace weir::operations {

/// Begins or ends an operator's pause. A queue that is paused stays so since
/// when and by whom it was.
expected<queue_halted> set_halt(store& db, const batch_context& batch,
                                const halt_queue& request);

/// Ends the stored back-off, so that a restart does not take it up again. What
/// the bridge asked for stays unless it is forced.
expected<back_off_ended> end_stored_back_off(store& db,
                                             const batch_context& batch,
                                             const end_back_off& request);

/// Moves the pinned elements to the dead letters, all or none, or gives those
/// of a damaged pin another id; then pins the next, all in this commit. Damage
/// is no hindrance: what rows are left are moved or planned anew.
expected<transaction_skipped> skip(store& db, batch_context& batch,
                                   const skip_transaction& request);

} // namespace weir::operations
