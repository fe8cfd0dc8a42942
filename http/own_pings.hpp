#pragma once

#include "schema/http.hpp"
#include "schema/ids.hpp"

#include <string>
#include <string_view>

namespace weir {

/// Pings that Weir itself asks the homeserver for. Their transaction ids are an
/// HMAC under the store's key, so that any node knows them again and answers
/// them itself, while all other pings reach the bridge (D9): a bridge that is
/// off, or has no ping, must not keep the homeserver from retrying.
class own_pings {
public:
  /// @param key The store's ping key.
  explicit own_pings(std::string key) : key_{std::move(key)} {
  }

  /// A fresh id for a ping of `appservice`.
  [[nodiscard]] std::string make_id(const appservice_id& appservice) const;

  /// Whether a ping's body carries an id made by `make_id` for `appservice`.
  [[nodiscard]] bool is_own(const appservice_id& appservice,
                            std::string_view body) const;

  /// `POST /_matrix/client/v1/appservice/{id}/ping` as that appservice. Source:
  /// Application Service API, "Pinging".
  [[nodiscard]] http_request request(const appservice_id& appservice,
                                     const http_peer& homeserver,
                                     const std::string& as_token) const;

private:
  [[nodiscard]] std::string sign(const appservice_id& appservice,
                                 std::string_view nonce) const;

  std::string key_;
};

} // namespace weir
