#pragma once

#include "schema/http.hpp"
#include "schema/time.hpp"

#include <optional>

namespace weir::policy {

/// How long the peer asks us to wait, counted from its answer.
///
/// Understood are, in every `Retry-After` field, seconds (also with decimals)
/// and the three forms of an HTTP-date; and in the body the number
/// `retry_after_ms` of a Matrix error. A date counts from the answer's own
/// `Date` where that can be read, so that the two clocks need not agree, else
/// from `now`. The longest request that makes sense wins; negative numbers,
/// dates that have passed and all else are as if they were not there. Parts of
/// a millisecond are rounded up: never earlier than asked.
///
/// @return Zero to `limits::retry_after_max`; nothing when nothing was asked.
/// Zero is a request like any other.
/// Source: RFC 9110 sections 5.6.7 and 10.2.3; Client-Server API, "Rate
/// limiting".
[[nodiscard]] std::optional<milliseconds> retry_after(const http_answer& answer,
                                                      stored_time now);

} // namespace weir::policy
