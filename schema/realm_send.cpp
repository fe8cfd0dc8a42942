#include "schema/realm_send.hpp"

namespace weir {

std::string_view to_string(send_outcome how) noexcept {
  switch (how) {
  case send_outcome::none: return "none";
  case send_outcome::delivered: return "delivered";
  case send_outcome::failed: return "failed";
  case send_outcome::not_joined: return "not_joined";
  case send_outcome::unsubscribed: return "unsubscribed";
  case send_outcome::expired: return "expired";
  case send_outcome::cancelled: return "cancelled";
  case send_outcome::uncertain: return "uncertain";
  case send_outcome::skipped: return "skipped";
  case send_outcome::merged: return "merged";
  case send_outcome::dropped: return "dropped";
  case send_outcome::no_rooms: return "no_rooms";
  }
  return "unknown";
}

std::string_view to_string(realm_event_state what) noexcept {
  switch (what) {
  case realm_event_state::queued: return "queued";
  case realm_event_state::binding: return "binding";
  case realm_event_state::bound: return "bound";
  case realm_event_state::over: return "over";
  }
  return "unknown";
}

} // namespace weir
