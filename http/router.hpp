#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// What is asked for.
enum class route_kind : uint8_t {
  unknown,     ///< 404 M_UNRECOGNIZED.
  health,      ///< `/health`
  ready,       ///< `/ready`
  transaction, ///< Ends here; every other request to an appservice is passed
               ///< on.
  events,      ///< The second door: `/_weir/v1/appservices/{id}/events`.
  ping,        ///< Passed on, unless Weir caused it (D9).
  proxied,     ///< Passed on.
};

/// Where a request on the main listener goes.
struct route {
  route_kind kind = route_kind::unknown;
  /// False: the path is known, the method is wrong; 405 M_UNRECOGNIZED.
  bool method_fits = true;
  std::string_view allow; ///< The methods that fit, when one does not.
  /// The request came by `/_weir/as/{id}`, or by the second door; else the
  /// token names the appservice.
  bool by_id = false;
  std::string appservice; ///< Percent-decoded. Empty at the root.
  /// The transaction id, percent-decoded when that is UTF-8 without NUL, else
  /// as it stood there.
  std::string txn;
  /// Path and query for the bridge, every byte as it came, with one leading
  /// slash.
  std::string forward;

  friend bool operator==(const route&, const route&) = default;
};

/// Classifies a request of the main listener by method and raw target.
///
/// Matching is by prefix: what follows a known prefix may hold raw slashes and
/// belongs to the id (D1). Runs of slashes count as one in the fixed part only,
/// since a homeserver with a trailing slash in its `url` sends them. Under
/// `/_matrix/app/` every path is passed on but the transactions of v1, unstable
/// and legacy, which must end here.
/// Source: Application Service API; spec (b), (d) D1, D11.
route classify(std::string_view method, std::string_view target);

/// `%41` becomes `A`; what is no escape stays. '+' is a plus.
std::string percent_decoded(std::string_view text);

} // namespace weir
