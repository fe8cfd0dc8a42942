#pragma once

#include "actors/messages/kept.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

/// What an operator does with dead letters, inside the open batch: the effect
/// and the row that tells of it are one commit.
namespace weir::operations {

/// Makes new rows of letters at the end of their outbox, deletes the letters,
/// and pins when nothing is pinned. No row is touched that was there, but that
/// values are merged above the pin as at an accept. What came before is not
/// asked (R4): an operator wants it said again.
expected<kept_changed> replay(store& db, const batch_context& batch,
                              const replay_letters& request);

/// Deletes letters.
expected<kept_changed> drop(store& db, const batch_context& batch,
                            const drop_letters& request);

} // namespace weir::operations
