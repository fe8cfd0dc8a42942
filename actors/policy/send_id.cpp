#include "actors/policy/send_id.hpp"

#include "schema/hash.hpp"

namespace weir::policy {

namespace {

/// 160 bits: no two sends of a homeserver's life meet.
constexpr size_t digits = 40;

} // namespace

std::string send_id(std::string_view event_id, const room_id& room,
                    std::string_view content) {
  return send_id_of_digest(event_id, room, sha256_hex(content), 0);
}

std::string send_id_of_digest(std::string_view event_id, const room_id& room,
                              std::string_view content_sha256,
                              uint32_t generation) {
  // Lengths first, so that no two triples are the same text.
  std::string text = std::to_string(event_id.size()) + ' ';
  text.append(event_id).append(std::to_string(room.value.size()));
  text.append(" ").append(room.value).append(content_sha256);
  if (generation > 0)
    text.append(" ").append(std::to_string(generation));
  return 'w' + sha256_hex(text).substr(0, digits);
}

} // namespace weir::policy
