#include "schema/positions.hpp"

#include <algorithm>

namespace weir {

void position_vector::raise(const slot_position& to) {
  if (to.pos == 0)
    return;
  const auto found
    = std::ranges::lower_bound(positions_, to.slot, {}, &slot_position::slot);
  if (found == positions_.end() || found->slot != to.slot) {
    positions_.insert(found, to);
    return;
  }
  // At one position two runs tell the same; the larger, so that the order in
  // which vectors are joined does not matter.
  if (found->pos < to.pos || (found->pos == to.pos && found->run < to.run))
    *found = to;
}

void position_vector::join(const position_vector& other) {
  for (const auto& each : other.positions_)
    raise(each);
}

uint64_t position_vector::pos_of(uint32_t slot) const noexcept {
  const auto found
    = std::ranges::lower_bound(positions_, slot, {}, &slot_position::slot);
  return found == positions_.end() || found->slot != slot ? 0 : found->pos;
}

bool position_vector::covers(const position_vector& other) const noexcept {
  return std::ranges::all_of(other.positions_, [this](const auto& each) {
    return pos_of(each.slot) >= each.pos;
  });
}

position_vector joined(position_vector a, const position_vector& b) {
  a.join(b);
  return a;
}

} // namespace weir
