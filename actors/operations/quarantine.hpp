#pragma once

#include "actors/messages/kept.hpp"
#include "persistence/store.hpp"
#include "schema/error.hpp"

namespace weir::operations {

/// Deletes quarantined bodies, inside the open batch and with the row that
/// tells of it.
expected<kept_changed> drop_bodies(store& db, const batch_context& batch,
                                   const drop_quarantined& request);

} // namespace weir::operations
