#pragma once

#include "schema/error.hpp"
#include "schema/time.hpp"

#include <optional>

namespace weir::policy {

/// Whether an offered transaction that the store did not take is tried again,
/// and in how long: a homeserver that is refused drops what it had beside the
/// events, so it is held while there is hope and time (R2). Nothing when the
/// homeserver must be told now.
[[nodiscard]] std::optional<milliseconds> hold_pause(ec why, instant now,
                                                     instant hold_until);

} // namespace weir::policy
