#pragma once

#include "actors/messages/store.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

#include <optional>
#include <span>

namespace weir::operations {

/// Whether anything is owed.
[[nodiscard]] bool owes(const queue_row& row) noexcept;

/// Pins the next outgoing transaction when something is owed and nothing is
/// pinned: chooses the rows, draws the id, renders, and sets `row.pinned`. The
/// caller saves the row. Every commit that leaves rows owed goes through here,
/// so that no owed row is ever without a pin (docs/store.md, "Pins").
expected<std::optional<owed_transaction>>
pin_next(store& db, const batch_context& batch, queue_row& row,
         const transaction_bounds& bounds);

/// Renders what `row.pinned` promises from the rows alone. Errors:
/// `ec::corrupt` when the bytes are not the pinned ones.
expected<owed_transaction> render_pinned(store& db, const queue_row& row);

} // namespace weir::operations
