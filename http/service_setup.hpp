#pragma once

#include "actors/settings.hpp"
#include "http/routes/appservice.hpp"
#include "schema/registration.hpp"

#include <memory>
#include <vector>

/// Turns the configuration and the registrations into what actors and listener
/// are given.
namespace weir {

/// @param board Of the house that runs, when the configuration was read again;
/// null: a new one is made.
std::shared_ptr<house_settings>
make_house_settings(const loaded_setup& setup,
                    std::shared_ptr<bridge_board> board);

std::shared_ptr<const served_appservices>
make_served_appservices(const loaded_setup& setup);

} // namespace weir
