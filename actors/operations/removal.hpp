#pragma once

#include "actors/messages/removal.hpp"
#include "persistence/store.hpp"

namespace weir::operations {

// The end of appservices that no configuration names; see docs/store.md. Each
// runs in the writer's open batch.

expected<held_page> held(store& db, const batch_context& batch,
                         const list_held& request);
expected<stored> note(store& db, const batch_context& batch,
                      const note_removed& request);
expected<removal_done> remove(store& db, const batch_context& batch,
                              const remove_appservice& request);
expected<removal_done> remove_next(store& db, const batch_context& batch,
                                   const continue_removals& request);

/// What there is of one now, as a word that changes with it.
std::string removal_mark(const queue_row& row, const kept_counts& kept);

} // namespace weir::operations
