#pragma once

#include "schema/error.hpp"

#include <string>

/// The small files that one node keeps in its data folder.
namespace weir {

/// The name that this node's slots carry: drawn once and kept in
/// `{data_dir}/node_id`, so that a restart knows its own slots.
expected<std::string> node_name(const std::string& data_dir);

/// The bearer token in `path`; drawn and written, 0600, when the file is
/// absent and `make` is set. Errors: `ec::forbidden` when others can read it,
/// `ec::unavailable`, `ec::not_found`.
expected<std::string> bearer_token(const std::string& path, bool make);

/// Makes the folder, 0700, when it is missing.
expected<void> make_data_dir(const std::string& data_dir);

} // namespace weir
