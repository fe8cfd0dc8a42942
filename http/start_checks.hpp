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

/// How a start waits.
using wait_function = std::function<void(std::chrono::milliseconds)>;
void sleep_through(std::chrono::milliseconds time);

/// Refuses while another process's slots beat: several nodes on one database
/// are not supported yet. Slots of our own name are those of a predecessor,
/// which the lock on the data folder proves dead, and are taken at once.
/// Changes nothing in a store, of whatever version. Errors: `ec::busy`,
/// `ec::unavailable`.
/// @param watch How long a foreign slot is watched; twice its beat and more.
expected<void> refuse_second_process(const store_options& options,
                                     const std::string& node,
                                     std::chrono::milliseconds watch,
                                     const wait_function& wait = sleep_through);

/// Refuses a second process, applies missing migrations, and reads who the
/// store is. Errors: those of `refuse_second_process` and `open_store`.
expected<store_identity>
prepare_store(const store_options& options, const std::string& node,
              std::chrono::milliseconds watch,
              const wait_function& wait = sleep_through);

} // namespace weir
