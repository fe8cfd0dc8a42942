#pragma once

#include "actors/messages/store.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

namespace weir::operations {

/// Stores a homeserver's transaction or recognises it as a repetition, inside
/// the open batch. Source: R1, R3, R4, R6 of the appservice rules.
expected<transaction_stored> accept(store& db, const batch_context& batch,
                                    const accept_transaction& request);

/// The same of a request of the second door: each event whose stream ordering
/// is not remembered, by that alone. Nothing else is compared.
expected<transaction_stored> submit(store& db, const batch_context& batch,
                                    const accept_transaction& request);

} // namespace weir::operations
