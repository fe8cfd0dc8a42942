#pragma once

#include "persistence/store.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// What /metrics tells of one appservice. Small, since all of them are held at
/// once while a page is made, and there may be 10,000.
struct appservice_figures {
  std::string id;
  std::string last_error;     ///< Its class; empty: none yet.
  std::vector<double> values; ///< In the order of `appservice_families`.
};

/// The families of /metrics that have one sample for each appservice and no
/// other label.
std::span<const std::string_view> appservice_families();

/// @param as_of When `view` was read.
/// @param sending_for How long the present send is under way; zero: none is.
appservice_figures figures_of(const queue_view& view, stored_time as_of,
                              milliseconds sending_for);

/// Appservices that the configuration does not name and of which something is
/// left. They have no series of their own.
struct removed_figures {
  uint64_t appservices = 0;
  uint64_t elements = 0; ///< Owed.
  uint64_t bytes = 0;    ///< Owed.

  void add(const queue_view& view);
};

} // namespace weir
