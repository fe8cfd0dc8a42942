#pragma once

#include "schema/http.hpp"
#include "schema/time.hpp"

#include <optional>

namespace weir::policy {

/// How long the peer asks us to wait, counted from its answer.
///
/// Understood are, in every `Retry-After` field, seconds (also with decimals)
/// and the three forms of an HTTP-date; and in the body the number
/// `retry_after_ms` of a Matrix error. A date counts from the answer's `Date`,
/// which is the peer's own, so that the two clocks need not agree, or was given
/// by `give_date`; without one from `now`. The longest request that makes
/// sense wins; negative numbers, dates that have passed and all else are as if
/// they were not there. Parts of a millisecond are rounded up: never earlier
/// than asked.
///
/// @param now The store's time, which tells the century of two digits, and is
/// near the moment where nobody gave a `Date`.
/// @return Zero to `limits::retry_after_max`; nothing when nothing was asked.
/// Zero is a request like any other.
/// Source: RFC 9110 sections 5.6.7 and 10.2.3; Client-Server API, "Rate
/// limiting".
[[nodiscard]] std::optional<milliseconds> retry_after(const http_answer& answer,
                                                      stored_time now);

/// Gives an answer that came at `arrived`, by the wall clock of this machine, a
/// `Date` when it asks for a pause and has none that can be read. For the
/// network alone, before anybody else sees the answer: the store's time differs
/// from the wall clock after a step of it, and who has only that could come too
/// early. Source: RFC 9110, 6.6.1.
void give_date(http_answer& answer, stored_time arrived);

} // namespace weir::policy
