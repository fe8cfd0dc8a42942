#pragma once

#include "actors/messages/realm.hpp"
#include "schema/error.hpp"
#include "schema/realm.hpp"
#include "schema/realm_submission.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// One line of a bulk request.
struct bulk_line {
  uint64_t number = 0; ///< From 1.
  realm_offer offer;
};

/// A bulk request, parted by realm; the lines of each in their order.
using bulk_lines = std::map<realm_id, std::vector<bulk_line>>;

/// Reads NDJSON; empty lines are counted and mean nothing. A request of which
/// one line cannot be read is refused as a whole, for nobody could say what to
/// hold behind it. Errors: `ec::not_json`, `ec::bad_json` that begin with the
/// number of the line; `ec::too_large` for too many lines.
expected<bulk_lines> read_bulk(std::string_view body,
                               const std::function<std::string()>& draw_id);

/// An event as its producer wrote it, to be offered.
realm_offer offer_of(realm_submission what, std::string event_id);

/// How many lines from `first` on go into one commit.
size_t lines_of_commit(const std::vector<bulk_line>& lines, size_t first);

} // namespace weir
