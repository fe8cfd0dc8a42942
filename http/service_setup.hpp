#pragma once

#include "actors/settings.hpp"
#include "http/routes/appservice.hpp"
#include "schema/registration.hpp"

#include <memory>
#include <vector>

/// Turns the configuration and the registrations into what actors and listener
/// are given.
namespace weir {

std::shared_ptr<house_settings> make_house_settings(const loaded_setup& setup);

std::vector<served_appservice>
make_served_appservices(const loaded_setup& setup);

} // namespace weir
