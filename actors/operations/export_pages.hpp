#pragma once

#include "actors/messages/removal.hpp"
#include "persistence/store.hpp"

namespace weir {

/// A page of all that is kept of one appservice, of one part and bounded in
/// rows and bytes. Each page is a snapshot of its own: what the last one ends
/// with tells whether anything has changed since.
expected<export_page> read_export_page(store_reader& db,
                                       const read_export& request);

} // namespace weir
