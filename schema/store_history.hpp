#pragma once

#include "schema/positions.hpp"
#include "schema/token_refusal.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace weir {

/// What one snapshot of a store says of its slots: as much as is needed to
/// judge a token. All of it is from that one snapshot.
struct store_history {
  /// Where a slot stands now.
  struct slot_state {
    uint64_t run = 0;
    uint64_t pos = 0;
  };

  std::map<uint32_t, slot_state> slots;
  /// The last position of each run that is over, by slot and run; only those
  /// that were asked about are here.
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> ended_runs;
  /// Up to which position rows of a feed have been forgotten, by slot.
  std::map<uint32_t, uint64_t> forgotten;

  /// How far each slot is.
  [[nodiscard]] position_vector now() const;
};

/// A slot that is not as far as a token.
struct slot_lag {
  uint32_t slot = 0;
  uint64_t behind = 0; ///< By how many positions.
  friend bool operator==(const slot_lag&, const slot_lag&) = default;
};
BOOST_DESCRIBE_STRUCT(slot_lag, (), (slot, behind))

/// How a snapshot stands to a token: it covers it unless one of these is set.
struct token_standing {
  /// The history of the token is not that of the store; waiting is no use.
  std::optional<token_refusal> refused;
  /// The slot that is furthest behind; waiting may help.
  std::optional<slot_lag> behind;

  [[nodiscard]] bool covered() const noexcept {
    return !refused && !behind;
  }
  friend bool operator==(const token_standing&, const token_standing&)
    = default;
};
BOOST_DESCRIBE_STRUCT(token_standing, (), (refused, behind))

/// Compares a snapshot with the positions that a reader has seen. A run that is
/// over must be known and must have come that far; in the present one a
/// position may not be there yet. A position before its run began is of a page
/// that ended there: the store that knows the run knows what was before it.
[[nodiscard]] token_standing standing_of(const store_history& store,
                                         const position_vector& seen);

/// Whether rows behind `seen` have been forgotten, so that a feed that goes on
/// there would skip them.
[[nodiscard]] bool has_forgotten(const store_history& store,
                                 const position_vector& seen);

} // namespace weir
