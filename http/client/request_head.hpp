#pragma once

#include "http/client/peer_endpoint.hpp"
#include "schema/error.hpp"
#include "schema/http.hpp"

#include <string>

namespace weir {

/// The request line and the fields as they go over the wire, with the empty
/// line. The target's bytes are joined to the base path by exactly one slash
/// and otherwise left as they are. Fields that only the transport may decide on
/// (`Host`, `Content-Length`, `Connection`, `Expect` and what else concerns one
/// connection) are left out of the caller's.
///
/// Errors: `ec::invalid_argument` for a method, target or field that could end
/// its line or split it. The error names the field, never a value.
expected<std::string> build_request_head(const http_request& request,
                                         const peer_endpoint& peer);

} // namespace weir
