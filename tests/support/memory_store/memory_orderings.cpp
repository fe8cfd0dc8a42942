#include "tests/support/memory_store/memory_ports.hpp"

#include <algorithm>

namespace weir::test {

namespace {

/// Rows of one queue, in order of seq.
std::vector<ordering_row> rows_of(const memory_tables& tables, queue_no queue) {
  std::vector<ordering_row> rows;
  const auto end = tables.orderings.lower_bound({queue + 1, 0});
  for (auto at = tables.orderings.lower_bound({queue, 0}); at != end; ++at)
    rows.push_back(at->second);
  std::ranges::sort(rows, {}, &ordering_row::seq);
  return rows;
}

} // namespace

expected<std::vector<uint64_t>>
memory_orderings::find(queue_no queue, std::span<const uint64_t> orderings) {
  WEIR_TRY(const auto statement, on_.run("find orderings"));
  std::vector<uint64_t> known;
  for (const auto each : orderings)
    if (on_.tables().orderings.contains({queue, each}))
      known.push_back(each);
  return known;
}

expected<void> memory_orderings::add(queue_no queue,
                                     std::span<const ordering_row> rows) {
  if (rows.empty())
    return ok();
  WEIR_TRY(const auto statement, on_.run("add orderings", true));
  for (const auto& row : rows) {
    const std::pair key{queue, row.ordering};
    if (on_.tables().orderings.contains(key))
      return fail(on_.failed(ec::rejected, "add orderings"));
    on_.put<&memory_tables::orderings>(key, row);
  }
  return ok();
}

expected<std::optional<uint64_t>>
memory_orderings::highest(queue_no queue, uint64_t first, uint64_t last) {
  WEIR_TRY(const auto statement, on_.run("highest ordering"));
  std::optional<uint64_t> highest;
  for (const auto& row : rows_of(on_.tables(), queue))
    if (row.seq >= first && row.seq <= last)
      highest = std::max(highest.value_or(0), row.ordering);
  return highest;
}

expected<uint64_t> memory_orderings::forget(queue_no queue, stored_time before,
                                            uint64_t too_many, uint64_t acked,
                                            size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("forget orderings"));
  uint64_t gone = 0;
  for (const auto& row : rows_of(on_.tables(), queue)) {
    if (gone >= rows_max || row.seq > acked
        || (gone >= too_many && row.at >= before))
      break;
    on_.erase<&memory_tables::orderings>(std::pair{queue, row.ordering});
    ++gone;
  }
  return gone;
}

} // namespace weir::test
