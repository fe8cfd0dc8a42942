#pragma once

#include "actors/messages/store.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

#include <optional>
#include <vector>

namespace weir::operations {

/// The ends of what is pinned. Between them there is no row that is not.
[[nodiscard]] uint64_t first_seq(const pin& of);
[[nodiscard]] uint64_t last_seq(const pin& of);

/// Pins the next outgoing transaction when something is owed and nothing is
/// pinned: chooses the rows, draws the id, renders, and sets `row.pinned`. The
/// caller saves the row. Every commit that leaves rows owed goes through here,
/// so that no owed row is ever without a pin (docs/pins.md).
///
/// Ephemeral elements stand behind all that is owed: they go only into a
/// transaction that takes all of it, and get their seqs there. Those that are
/// too old are dropped before anything is chosen.
/// @param fresh Ephemeral elements of this commit that are stored nowhere yet;
/// those that were chosen are taken out of it.
expected<std::optional<owed_transaction>>
pin_next(store& db, const batch_context& batch, queue_row& row,
         const transaction_bounds& bounds, std::vector<waiting_row>& fresh);
expected<std::optional<owed_transaction>>
pin_next(store& db, const batch_context& batch, queue_row& row,
         const transaction_bounds& bounds);

/// Renders what `row.pinned` promises from the rows alone. Errors:
/// `ec::corrupt` when the bytes are not the pinned ones.
expected<owed_transaction> render_pinned(store& db, const queue_row& row);

} // namespace weir::operations
