#pragma once

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

} // namespace weir
