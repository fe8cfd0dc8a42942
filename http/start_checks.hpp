#pragma once

#include "persistence/store.hpp"
#include "schema/error.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace weir {

/// Opens the store, applies missing migrations, and reads who it is.
expected<store_identity> prepare_store(const store_options& options);

/// Refuses while another process's slots beat: several nodes on one database
/// are not supported yet. Slots of our own name are those of a predecessor,
/// which the lock on the data folder proves dead, and are taken at once.
/// Errors: `ec::busy`, `ec::unavailable`.
/// @param watch How long a foreign slot is watched; twice its beat and more.
expected<void> refuse_second_process(const store_options& options,
                                     const std::string& node,
                                     std::chrono::milliseconds watch);

} // namespace weir
