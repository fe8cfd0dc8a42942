#pragma once

#include "schema/error.hpp"
#include "schema/realm.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// What a request of the producer API wants.
enum class realm_act : uint8_t {
  unknown, ///< 404 M_UNRECOGNIZED.
  submit,
  read_event,
  cancel,
  redeliver,
  list_rooms,
  replace_rooms,
  change_rooms,
  add_room,
  remove_room,
  status,
  bulk,
  outcomes,
};

/// Where a request below `/_weir/v1/` goes.
struct realm_route {
  realm_act act = realm_act::unknown;
  /// The methods that fit a path that is known, when the given one does not.
  std::string_view allow;
  realm_id realm;   ///< Percent-decoded.
  std::string item; ///< Key, event id or room id, percent-decoded.
};

/// Classifies by method and raw target. A realm id, a key and a room id are one
/// percent-encoded segment each, cut out before anything is decoded: a realm id
/// is mostly a URL. Runs of slashes are not joined. Errors:
/// `ec::invalid_argument` for an id that is no text or too long.
expected<realm_route> classify_realm(std::string_view method,
                                     std::string_view target);

/// What the query of a read says.
struct realm_read_query {
  std::string after;                 ///< A token.
  std::string since;                 ///< A token; of outcomes.
  std::string from;                  ///< The last room of the page before.
  std::optional<int64_t> wait_ms;    ///< For what the token has seen.
  std::optional<int64_t> timeout_ms; ///< For an event, or an outcome.
  bool until_settled = false;        ///< `wait=settled`.
  uint64_t rows_max = 0;             ///< 0: nothing was said.
};

/// Other parameters mean nothing. Errors: `ec::invalid_argument`.
expected<realm_read_query> parse_realm_query(std::string_view query);

} // namespace weir
