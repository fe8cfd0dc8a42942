#pragma once

#include "schema/config.hpp"

#include <string_view>

namespace weir {

/// Whether `url` leads to Weir itself and not to a bridge: what is sent there
/// comes back as if a homeserver had sent it, is a repeat to Weir and is
/// acknowledged, and reaches nobody. That is so for an address that Weir
/// listens on, for `public_url`, and for the paths that only Weir has.
/// @param url In the form of `http_peer::url`.
bool leads_to_weir(const config& settings, std::string_view url);

} // namespace weir
