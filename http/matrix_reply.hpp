#pragma once

#include "http/exchange.hpp"
#include "schema/error.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace weir {

/// `{"errcode": …, "error": …}` with `status`. Bytes of `error` that are no
/// UTF-8 are replaced. Source: Client-Server API, "Standard error response".
http_response matrix_error(int status, std::string_view errcode,
                           std::string_view error);

/// A JSON body that the caller wrote.
http_response json_reply(int status, std::string body);

/// 200 with a JSON body. A homeserver counts a 200 without one as a failure.
http_response json_ok(std::string body = "{}");

/// 404 M_UNRECOGNIZED: no such path.
http_response unrecognized();

/// 405 M_UNRECOGNIZED: the path is known, the method is not. `allow` is the
/// value of the Allow field.
http_response wrong_method(std::string_view allow);

/// 503 M_LIMIT_EXCEEDED with Retry-After, whole seconds, rounded up: nothing
/// was taken, come again.
http_response come_again(std::chrono::milliseconds retry_after,
                         std::string_view error);

/// What a client is told of a failure. Of those that are its own doing (4xx) it
/// reads the context, of ours (5xx) only a fixed phrase.
http_response error_reply(const error& what);

/// 503 to an operator whose order went to a store that did not answer.
http_response done_or_not();

/// A reply that passes on its first call only, and 500 when its last copy goes
/// uncalled, so that no request waits for ever.
reply once_only(reply passed_on);

} // namespace weir
