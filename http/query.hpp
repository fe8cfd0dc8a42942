#pragma once

#include "schema/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// One `name=value` of a query.
struct query_parameter {
  std::string_view name; ///< As it stood there; points into the query.
  std::string value;     ///< Percent-decoded; empty without '='.
};

/// The parameters of a query, in order. Total: any text is a query.
std::vector<query_parameter> read_query(std::string_view query);

// What a parameter's value must be. `name` goes into the error. Errors:
// `ec::invalid_argument`.

/// From 0 on, in digits alone.
expected<int64_t> whole_number(std::string_view name, std::string_view text);

/// The `limit` of a listing, which is brought between 1 and
/// `limits::page_rows_max`.
expected<uint64_t> page_size(std::string_view text);

/// Text for rows, logs and terminals: one line of UTF-8 of at most `bytes_max`
/// bytes, without control characters.
expected<std::string> one_line(std::string_view name, std::string text,
                               size_t bytes_max);

/// `by`: who is said to have asked.
expected<std::string> asker_name(std::string text);

} // namespace weir
