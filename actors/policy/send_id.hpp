#pragma once

#include "schema/realm.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::policy {

/// The transaction id of one send, stored when it is bound (D8): a hash of what
/// it stands for, so that no clock, no restart and no second node can give one
/// id to two sends, nor two contents to one id.
/// @param event_id The event's random id.
/// @return `w` and 40 hex digits.
[[nodiscard]] std::string send_id(std::string_view event_id,
                                  const room_id& room,
                                  std::string_view content);

/// The same of an event whose content is digested once for all its rooms.
/// @param content_sha256 As `sha256_hex` gives it.
/// @param generation How often an ended send was begun anew; each has an id of
/// its own.
[[nodiscard]] std::string send_id_of_digest(std::string_view event_id,
                                            const room_id& room,
                                            std::string_view content_sha256,
                                            uint32_t generation);

} // namespace weir::policy
