#include "persistence/text_check.hpp"
#include "tests/support/memory_store/memory_ports.hpp"

#include <algorithm>

namespace weir::test {

namespace {

/// Rows of one queue in order of arrival.
std::vector<waiting_row> rows_of(const memory_tables& tables, queue_no queue) {
  std::vector<waiting_row> rows;
  const auto end = tables.waiting.lower_bound({queue + 1, 0});
  for (auto at = tables.waiting.lower_bound({queue, 0}); at != end; ++at)
    rows.push_back(at->second);
  return rows;
}

} // namespace

expected<void> memory_waiting::add(queue_no queue,
                                   std::span<const waiting_row> rows) {
  if (rows.empty())
    return ok();
  WEIR_TRY(const auto statement, on_.run("add waiting", true));
  for (const auto& row : rows) {
    const std::pair key{queue, row.arrival};
    if (!storable_as_text(row.bytes) || !storable_as_text(row.keys)
        || on_.tables().waiting.contains(key))
      return fail(on_.failed(ec::rejected, "add waiting"));
    on_.put<&memory_tables::waiting>(key, row);
  }
  return ok();
}

expected<std::vector<waiting_row>>
memory_waiting::about(queue_no queue, std::span<const uint64_t> subjects) {
  WEIR_TRY(const auto statement, on_.run("waiting about"));
  auto rows = rows_of(on_.tables(), queue);
  std::erase_if(rows, [&](const waiting_row& row) {
    return std::find(subjects.begin(), subjects.end(), row.subject)
      == subjects.end();
  });
  return rows;
}

expected<std::vector<waiting_row>> memory_waiting::oldest(queue_no queue,
                                                          size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("oldest waiting"));
  auto rows = rows_of(on_.tables(), queue);
  rows.resize(std::min(rows.size(), rows_max));
  return rows;
}

expected<uint64_t> memory_waiting::remove(queue_no queue,
                                          std::span<const uint64_t> arrivals) {
  WEIR_TRY(const auto statement, on_.run("remove waiting"));
  uint64_t removed = 0;
  for (const auto arrival : arrivals) {
    const std::pair key{queue, arrival};
    removed += on_.tables().waiting.contains(key) ? 1 : 0;
    on_.erase<&memory_tables::waiting>(key);
  }
  return removed;
}

} // namespace weir::test
