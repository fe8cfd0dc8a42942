#pragma once

#include "persistence/snapshot.hpp"

#include <vector>

namespace weir {

/// The feed of finished deliveries as it is read by tokens: the rows behind a
/// token and within a snapshot, of every slot.
class outcome_feed {
public:
  /// Its oldest rows go, so a token may be too old for it.
  static constexpr bool forgets = true;

  /// Some rows, each slot's in the order of their commits.
  class page {
  public:
    std::vector<outcome_row> rows;
    bool more = false; ///< There are more rows in the same snapshot.

  private:
    friend outcome_feed;
    friend caught_up_snapshot<outcome_feed>;
    page() = default;
    position_vector read_to_; ///< How far each slot was read.
    position_vector seen_;    ///< The snapshot they are from.
  };

  /// The next rows, at most `rows_max` or one a slot. Every slot has an equal
  /// share, so that none waits for another that never ends; a slot whose share
  /// was too small goes on from its last row, the others from the snapshot.
  /// Errors: `ec::unavailable`.
  static expected<page> read(const caught_up_snapshot<outcome_feed>& from,
                             size_t rows_max);
};

} // namespace weir
