#pragma once

#include "actors/house.hpp"
#include "http/appservice_figures.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weir {

/// What the store knows that /metrics tells.
struct stored_figures {
  std::vector<appservice_figures> appservices; ///< Those configured.
  removed_figures removed;
  std::optional<store_figures> store; ///< Empty: it did not answer.
};

/// Whom a scrape asks beside the store.
struct scrape_sources {
  /// Whether the configuration names an appservice; null: all of them.
  std::function<bool(const std::string& id)> serves;
  /// How long its present send is under way; null: none is.
  std::function<milliseconds(const appservice_id& id)> sending_for;
};

/// Asks the store page by page and keeps the figures alone, so that what a
/// scrape holds is bounded by them. What the store does not tell is left out;
/// a store that is away does not hide what the process itself knows.
/// @param done Runs once, on a thread of the actors.
void scrape_store(house& door, scrape_sources sources,
                  std::function<void(stored_figures)> done);

} // namespace weir
