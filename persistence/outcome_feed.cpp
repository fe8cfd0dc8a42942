#include "persistence/outcome_feed.hpp"

#include <algorithm>
#include <iterator>

namespace weir {

expected<outcome_feed::page>
outcome_feed::read(const caught_up_snapshot<outcome_feed>& from,
                   size_t rows_max) {
  page made;
  made.seen_ = from.at();
  const auto slots = from.at().positions();
  const auto share
    = std::max<size_t>(1, rows_max / std::max<size_t>(1, slots.size()));
  for (auto each : slots) {
    const auto after = from.since_.pos_of(each.slot);
    // One more tells whether there are more.
    WEIR_TRY(auto rows,
             from.rows().outcomes(each.slot, after, each.pos, share + 1));
    if (rows.size() > share) {
      rows.resize(share);
      each.pos = rows.back().pos;
      made.more = true;
    }
    made.read_to_.raise(each);
    std::ranges::move(rows, std::back_inserter(made.rows));
  }
  return made;
}

} // namespace weir
