#include "actors/policy/kept_room.hpp"

#include <algorithm>

namespace weir::policy {

namespace {

uint64_t left_of(uint64_t bound, uint64_t held) {
  return bound - std::min(bound, held);
}

} // namespace

uint64_t kept_room(kept_fill held, uint64_t bound) {
  return std::min(left_of(bound, held.all), left_of(bound / 2, held.own));
}

uint64_t overflow_room(kept_fill held, uint64_t bound) {
  return std::min(kept_room(held, bound), left_of(bound / 2, held.all));
}

} // namespace weir::policy
