#pragma once

#include "persistence/data_lock.hpp"
#include "persistence/store.hpp"
#include "persistence/tokens.hpp"
#include "schema/config.hpp"
#include "schema/error.hpp"

#include <memory>
#include <string>

namespace weir {

/// What is found out before anything is started.
struct prepared {
  data_lock lock;
  std::string node;
  std::string admin_token;
  std::string viewer_token;
  store_identity identity;
  store_options store;
  std::shared_ptr<const token_authority> tokens; ///< Of stream tokens.
};

/// Locks the data folder, makes what is missing in it, and migrates the store,
/// unless another process is alive in it. Errors: those of each, with the place
/// in the context.
expected<prepared> prepare(const config& settings);

} // namespace weir
