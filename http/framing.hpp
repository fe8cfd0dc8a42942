#pragma once

#include "http/exchange.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace weir {

/// A request target longer than any user id, alias or query that occurs, by
/// far.
inline constexpr size_t target_bytes_max = size_t{16} << 10;

/// What a head says about the exchange, besides what it asks for.
struct request_framing {
  bool http_1_0 = false;
  bool keep_alive = true; ///< What the client wishes.
  bool expects_continue = false;
};

/// Why a head that parsed is still not served, or nothing. Everything on which
/// two HTTP implementations could disagree about where a request ends is
/// refused, since a proxy in front may see it the other way. An absolute target
/// is cut to its path. Source: RFC 9112, 3.2, 6.1, 6.3, 7; RFC 9110, 10.1.1.
std::optional<http_response> head_problem(request_head& head,
                                          request_framing& framing);

/// Why the body of this request is not read, or nothing: a content coding, or
/// more than `body_bytes_max` bytes.
std::optional<http_response> body_problem(const request_head& head,
                                          uint64_t body_bytes_max);

/// How the answer ends.
struct response_framing {
  bool to_head = false; ///< The request was HEAD: the body stays here.
  bool http_1_0 = false;
  bool close = false;
};

/// Whether the answer's body goes out.
bool sends_body(const http_response& response, bool to_head) noexcept;

/// Status line and fields up to the empty line. A field of the answer whose
/// name or value could end a line, or that belongs to the listener, is left
/// out.
std::string response_head(const http_response& response,
                          const response_framing& framing);

} // namespace weir
