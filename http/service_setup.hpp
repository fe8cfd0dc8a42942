#pragma once

#include "actors/settings.hpp"
#include "http/routes/appservice.hpp"
#include "http/routes/realms.hpp"
#include "schema/registration.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
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

/// Who may hand in realm events, and how they are taken.
realm_routes::options
make_producer_options(const loaded_setup& setup,
                      std::shared_ptr<const token_authority> tokens,
                      std::function<uint64_t()> random);

/// Where the listeners stand, and by which bounds.
server_options main_listener_of(const config& settings);
server_options admin_listener_of(const config& settings);

/// Connections to bridges and to the homeserver that are ever needed at once:
/// those of what is passed on, which has a bound of its own, and for each
/// appservice its transaction and a ping.
size_t outgoing_connections_max(const loaded_setup& setup);

/// Of the database or, with its suffix, of a file beside it; 0 when there is
/// none, as on PostgreSQL.
uint64_t store_file_bytes(const config& settings, std::string_view suffix);

} // namespace weir
