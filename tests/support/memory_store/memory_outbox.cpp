#include "persistence/text_check.hpp"
#include "tests/support/memory_store/memory_ports.hpp"

#include <algorithm>

namespace weir::test {

namespace {

bool named(std::span<const lane_range> ranges, const owed_row& row) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const auto& each) {
    return each.kind == row.item.kind && each.first <= row.seq
      && row.seq <= each.last;
  });
}

/// clang 14 does not compile std::ranges::subrange.
template <class Iterator>
struct stretch {
  Iterator first, last;
  [[nodiscard]] Iterator begin() const {
    return first;
  }
  [[nodiscard]] Iterator end() const {
    return last;
  }
  [[nodiscard]] bool empty() const {
    return first == last;
  }
};

/// Rows of one queue in order of seq.
auto rows_of(const memory_tables& tables, queue_no queue, uint64_t from) {
  auto first = tables.outbox.lower_bound({queue, from});
  return stretch<decltype(first)>{first,
                                  tables.outbox.lower_bound({queue + 1, 0})};
}

std::optional<queue_row> find(const memory_tables& tables,
                              const appservice_id& id) {
  const auto found = tables.queue_ids.find(id.value);
  if (found == tables.queue_ids.end())
    return std::nullopt;
  return tables.queues.at(found->second);
}

} // namespace

expected<std::optional<queue_row>>
memory_outbox::lock_queue(const appservice_id& id) {
  WEIR_TRY(const auto statement, on_.run("lock queue"));
  return find(on_.tables(), id);
}

expected<queue_row> memory_outbox::adopt_queue(const appservice_id& id) {
  WEIR_TRY(const auto statement, on_.run("adopt queue", true));
  if (!storable_as_text(id.value))
    return fail(on_.failed(ec::rejected, "adopt queue: text"));
  if (auto known = find(on_.tables(), id))
    return std::move(*known);
  queue_row row;
  row.no = on_.tables().last_queue + 1;
  row.id = id;
  for (const auto& [no, removed] : on_.tables().removals)
    if (removed.appservice == id) {
      row.next_seq = std::max(row.next_seq, removed.next_seq);
      row.next_txn = std::max(row.next_txn, removed.next_txn);
    }
  row.acked = row.next_seq - 1;
  on_.set<&memory_tables::last_queue>(row.no);
  on_.put<&memory_tables::queue_ids>(id.value, row.no);
  on_.put<&memory_tables::queues>(row.no, row);
  return row;
}

expected<void> memory_outbox::save_queue(const queue_row& row) {
  WEIR_TRY(const auto statement, on_.run("save queue"));
  const auto known = on_.tables().queues.find(row.no);
  if (known == on_.tables().queues.end())
    return fail(on_.failed(ec::rejected, "save queue: no such row"));
  if (row.halted
      && (!storable_as_text(row.halted->by)
          || !storable_as_text(row.halted->reason)))
    return fail(on_.failed(ec::rejected, "save queue: text"));
  auto saved = row;
  saved.id = known->second.id;
  on_.put<&memory_tables::queues>(row.no, std::move(saved));
  return ok();
}

expected<void> memory_outbox::append(queue_no queue,
                                     std::span<const owed_row> rows) {
  if (rows.empty())
    return ok();
  WEIR_TRY(const auto statement, on_.run("append", true));
  for (const auto& row : rows) {
    const std::pair key{queue, row.seq};
    if (!storable_as_text(row.item.bytes) || !storable_as_text(row.item.keys))
      return fail(on_.failed(ec::rejected, "append: text"));
    if (on_.tables().outbox.contains(key))
      return fail(on_.failed(ec::rejected, "append: the seq is in use"));
    on_.put<&memory_tables::outbox>(key, row);
  }
  return ok();
}

expected<std::vector<owed_row>> memory_outbox::read_owed(queue_no queue,
                                                         uint64_t after,
                                                         size_t rows_max,
                                                         size_t bytes_max) {
  WEIR_TRY(const auto statement, on_.run("read owed"));
  std::vector<owed_row> rows;
  if (after == UINT64_MAX)
    return rows;
  size_t bytes = 0;
  for (const auto& [key, row] : rows_of(on_.tables(), queue, after + 1)) {
    if (rows.size() >= rows_max || bytes > bytes_max)
      break;
    rows.push_back(row);
    bytes += row.item.bytes.size();
  }
  return rows;
}

expected<std::vector<owed_row>>
memory_outbox::read_ranges(queue_no queue, std::span<const lane_range> ranges) {
  WEIR_TRY(const auto statement, on_.run("read ranges"));
  std::vector<owed_row> rows;
  for (const auto& [key, row] : rows_of(on_.tables(), queue, 0)) {
    if (named(ranges, row))
      rows.push_back(row);
  }
  return rows;
}

expected<std::vector<owed_row>>
memory_outbox::read_values(queue_no queue, uint64_t after, size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("read values"));
  std::vector<owed_row> rows;
  for (const auto& [key, row] : rows_of(on_.tables(), queue, after + 1)) {
    if (row.item.kind == lane::device_lists
        || row.item.kind == lane::key_counts)
      rows.push_back(row);
  }
  if (rows.size() > rows_max)
    rows.erase(rows.begin(), rows.end() - static_cast<ptrdiff_t>(rows_max));
  return rows;
}

expected<void> memory_outbox::rewrite(queue_no queue, uint64_t seq,
                                      std::string_view bytes) {
  WEIR_TRY(const auto statement, on_.run("rewrite"));
  const std::pair key{queue, seq};
  const auto found = on_.tables().outbox.find(key);
  if (found == on_.tables().outbox.end() || !storable_as_text(bytes))
    return fail(on_.failed(ec::rejected, "rewrite"));
  auto row = found->second;
  row.item.bytes = std::string{bytes};
  on_.put<&memory_tables::outbox>(key, std::move(row));
  return ok();
}

expected<uint64_t> memory_outbox::remove(queue_no queue,
                                         std::span<const lane_range> ranges) {
  WEIR_TRY(const auto statement, on_.run("remove"));
  std::vector<std::pair<queue_no, uint64_t>> keys;
  for (const auto& [key, row] : rows_of(on_.tables(), queue, 0)) {
    if (named(ranges, row))
      keys.push_back(key);
  }
  for (const auto& key : keys)
    on_.erase<&memory_tables::outbox>(key);
  return keys.size();
}

expected<std::vector<appservice_id>>
memory_outbox::owed_queues(const appservice_id& after, size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("owed queues"));
  std::vector<appservice_id> ids;
  const auto& tables = on_.tables();
  for (auto each = tables.queue_ids.upper_bound(after.value);
       each != tables.queue_ids.end() && ids.size() < rows_max; ++each) {
    if (!rows_of(tables, each->second, 0).empty())
      ids.push_back({each->first});
  }
  return ids;
}

} // namespace weir::test
