#pragma once

#include "actors/realm_door.hpp"
#include "http/exchange.hpp"
#include "schema/error.hpp"

#include <optional>
#include <string>
#include <string_view>

/// What the admin API tells of realms and has done with them; shapes are in
/// docs/api.md.
namespace weir {

/// A path behind `/realms/`: a realm, and perhaps a verb or one of its events.
struct realm_admin_path {
  realm_id realm;
  std::string verb;     ///< Empty: the realm itself.
  std::string event_id; ///< Of `redeliver` and `cancel`.
};

/// Each id is one percent-encoded segment. Nothing: no such path.
std::optional<realm_admin_path> parse_realm_path(std::string_view path);

/// `GET /realms`: a page by `after` and `limit`.
void realms_page_reply(const realm_door& door, std::string_view query,
                       const reply& answer);
/// `GET /realms/{realm}` and `/realms/{realm}/dead-letters`.
void realm_reply(const realm_door& door, std::string_view path,
                 std::string_view query, const reply& answer);
/// `POST /realms/{realm}/pause`, `/resume` and
/// `/realms/{realm}/events/{event}/redeliver`.
void realm_order_reply(const realm_door& door, std::string_view path,
                       std::string_view query, const reply& answer);

} // namespace weir
