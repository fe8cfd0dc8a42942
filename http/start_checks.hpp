#pragma once

#include "persistence/store.hpp"
#include "schema/error.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace weir {

/// Makes the data folder, 0700, when it is missing.
expected<void> make_data_dir(const std::string& data_dir);

/// The name that this node's slots carry: drawn once and kept in
/// `{data_dir}/node_id`, so that a restart knows its own slots.
expected<std::string> node_name(const std::string& data_dir);

/// Raises this process's bound of open files as far as it may go without
/// rights, and returns what it is then.
uint64_t raise_open_files_max();

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
