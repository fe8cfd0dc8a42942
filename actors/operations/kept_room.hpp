#pragma once

#include "persistence/store.hpp"

/// How much may still be kept aside of one appservice, as actors/policy decides
/// it from what the store holds.
namespace weir::operations {

/// Bytes of dead letters: what was refused or skipped.
expected<uint64_t> letter_room(store& db, const appservice_id& of);

/// The same for what goes at a queue's bound.
expected<uint64_t> overflow_letter_room(store& db, const appservice_id& of);

/// Bytes of bodies that are no transactions.
expected<uint64_t> body_room(store& db, const appservice_id& of);

} // namespace weir::operations
