#include "actors/policy/hold.hpp"

namespace weir::policy {

namespace {

/// Often enough that a database restart costs the homeserver little, seldom
/// enough that thousands of held requests do not load a store that is ill.
constexpr milliseconds pause{250};

} // namespace

std::optional<milliseconds> hold_pause(ec why, instant now,
                                       instant hold_until) {
  switch (why) {
  case ec::unavailable:
  case ec::expired:
  case ec::superseded:
  case ec::in_doubt:
  case ec::busy:
  case ec::full: break;
  default: return {}; // Waiting would not change it.
  }
  if (now + pause >= hold_until)
    return {};
  return pause;
}

} // namespace weir::policy
