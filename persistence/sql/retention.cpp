#include "persistence/sql/retention.hpp"

namespace weir::sql {

expected<std::optional<int64_t>>
last_to_forget(statement& oldest, uint64_t too_many, stored_time before) {
  std::optional<int64_t> last;
  for (uint64_t place = 0;; ++place) {
    WEIR_TRY(auto found, oldest.next());
    if (!found || (place >= too_many && oldest.when(1) >= before))
      break;
    last = oldest.number(0);
  }
  oldest.done();
  return last;
}

} // namespace weir::sql
