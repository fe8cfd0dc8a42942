#pragma once

#include <string>
#include <string_view>

namespace weir::sql {

/// Names a store to a person: its URL without password and options; the kind
/// alone when the URL does not tell where a password would end.
std::string shown_location(std::string_view url);

/// Why there is no connection, on one line, out of what libpq says. Empty for
/// what may quote the address, which may hold a password: only what was said of
/// a server that was tried is passed on.
std::string connect_reason(std::string_view said);

} // namespace weir::sql
