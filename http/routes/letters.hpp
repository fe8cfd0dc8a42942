#pragma once

#include "actors/house.hpp"
#include "http/routes/kept_errand.hpp"

#include <functional>
#include <optional>
#include <string>

namespace weir {

/// What replaying needs to know of the configuration.
struct letter_rules {
  /// Whether it names an appservice; empty: all.
  std::function<bool(const std::string& id)> serves;
  /// The bounds of an appservice that is sent something; none for another.
  std::function<std::optional<transaction_bounds>(const std::string& id)>
    bounds_of;
};

/// Puts letters back into what their appservices are owed.
void replay_reply(house& door, const letter_rules& rules, kept_change what,
                  reply answer);

/// Deletes letters.
void drop_reply(house& door, kept_change what, reply answer);

} // namespace weir
