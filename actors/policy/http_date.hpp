#pragma once

#include "schema/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace weir::policy {

/// Reads an HTTP-date in any of its three forms: `Sun, 06 Nov 1994 08:49:37
/// GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
///
/// The name of the day is not compared with the date. A year of two digits is
/// the one that lies at most 50 years ahead of `now`. Returns nothing for all
/// else. Source: RFC 9110 section 5.6.7.
[[nodiscard]] std::optional<stored_time> parse_http_date(std::string_view text,
                                                         stored_time now);

/// The first of these forms, cut to the second.
[[nodiscard]] std::string to_http_date(stored_time at);

} // namespace weir::policy
