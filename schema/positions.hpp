#pragma once

#include <boost/describe/class.hpp>

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace weir {

/// How far one slot had committed, and in which of its runs that was.
struct slot_position {
  uint32_t slot = 0; ///< > 0
  uint64_t run = 0;
  uint64_t pos = 0;
  friend bool operator==(const slot_position&, const slot_position&) = default;
};
BOOST_DESCRIBE_STRUCT(slot_position, (), (slot, run, pos))

/// How far each slot of a store had committed: what a token stands for. A slot
/// that is not in it is at 0, so that what a slot wrote that joined later is
/// read from its first row on. It is only ever raised: there is no way to lower
/// one, for a token that is lowered to fit would hide that something is
/// missing.
///
/// The order is partial: of two vectors neither may cover the other.
class position_vector {
public:
  /// Raises one slot to at least `to`; position 0 says nothing.
  void raise(const slot_position& to);
  /// Raises each slot to at least what `other` has.
  void join(const position_vector& other);

  /// 0 when the slot is not in it.
  [[nodiscard]] uint64_t pos_of(uint32_t slot) const noexcept;
  /// Whether every slot is at least as far as in `other`.
  [[nodiscard]] bool covers(const position_vector& other) const noexcept;

  /// By ascending slots; every position is > 0.
  [[nodiscard]] std::span<const slot_position> positions() const noexcept {
    return positions_;
  }

  friend bool operator==(const position_vector&, const position_vector&)
    = default;

private:
  std::vector<slot_position> positions_;
};

/// The least that covers both.
[[nodiscard]] position_vector joined(position_vector a,
                                     const position_vector& b);

} // namespace weir
