#pragma once

#include "actors/messages/store.hpp"
#include "schema/log.hpp"

namespace weir {

/// Tells a person when a queue comes near its bounds, leaves them, or gives
/// elements up at one.
void tell_bounds(const logger& log, const appservice_id& id,
                 const bounds_news& news);

} // namespace weir
