#include "http/query.hpp"

#include "http/router.hpp"

#include <algorithm>

namespace weir {

std::vector<query_parameter> read_query(std::string_view query) {
  std::vector<query_parameter> found;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    found.push_back(
      {pair.substr(0, equals),
       percent_decoded(pair.substr(std::min(equals + 1, pair.size())))});
  }
  return found;
}

} // namespace weir
