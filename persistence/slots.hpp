#pragma once

#include "persistence/store.hpp"

namespace weir {

/// The slot rows of a store of this or an older version, which is not changed;
/// none where there is no store yet. Errors: those of `open_store`, but for
/// what it says of the schema.
expected<std::vector<slot_row>> slots_of(const store_options& options);

} // namespace weir
