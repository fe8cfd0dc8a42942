#include "schema/element.hpp"

namespace weir {

std::string_view to_string(lane of) noexcept {
  switch (of) {
  case lane::event: return "event";
  case lane::ephemeral: return "ephemeral";
  case lane::to_device: return "to_device";
  case lane::device_lists: return "device_lists";
  case lane::key_counts: return "key_counts";
  case lane::other: return "other";
  }
  return "unknown";
}

} // namespace weir
