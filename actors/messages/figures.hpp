#pragma once

#include "persistence/realm_rows.hpp"
#include "persistence/store.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>

/// What the STORE READERS are asked for /metrics. Errors: `ec::unavailable`.
namespace weir {

/// Reply: `store_figures`.
struct read_store_figures {};
BOOST_DESCRIBE_STRUCT(read_store_figures, (), ())

/// What is asked of the whole store at each scrape.
struct store_figures {
  kept_totals kept;
  /// At most as old as `limits::database_size_every`; 0 as long as the database
  /// has not told.
  uint64_t database_bytes = 0;
  realm_totals realms = {};
  stored_time as_of = {};
};
BOOST_DESCRIBE_STRUCT(store_figures, (), (kept, database_bytes, realms, as_of))

} // namespace weir
