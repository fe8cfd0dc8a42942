#include "schema/limits.hpp"
#include "tests/support/memory_store/memory_ports.hpp"

namespace weir::test {

namespace {

/// The arrival after the newest of one queue.
template <class Order>
uint64_t next_arrival(const Order& order, queue_no queue) {
  auto after = order.lower_bound({queue + 1, 0});
  if (after == order.begin() || (--after)->first.first != queue)
    return 1;
  return after->first.second + 1;
}

} // namespace

expected<std::vector<inbound_row>>
memory_inbox::find_inbound(queue_no queue, std::string_view hs_txn_id) {
  WEIR_TRY(const auto statement, on_.run("find inbound"));
  std::vector<inbound_row> rows;
  const auto& inbound = on_.tables().inbound;
  const std::string id{hs_txn_id};
  for (auto each = inbound.lower_bound({queue, id, 0}); each != inbound.end()
       && std::get<0>(each->first) == queue && std::get<1>(each->first) == id;
       ++each)
    rows.push_back(each->second.row);
  if (rows.size() > limits::inbound_generations_max)
    rows.erase(rows.begin(), rows.end() - limits::inbound_generations_max);
  return rows;
}

expected<void> memory_inbox::remember_inbound(queue_no queue,
                                              const inbound_row& row) {
  WEIR_TRY(const auto statement, on_.run("remember inbound", true));
  auto& tables = on_.tables();
  const memory_tables::inbound_key key{queue, row.hs_txn_id, row.generation};
  const auto arrival = next_arrival(tables.inbound_order, queue);
  if (const auto known = tables.inbound.find(key);
      known != tables.inbound.end())
    on_.erase<&memory_tables::inbound_order>(
      memory_tables::arrival_key{queue, known->second.arrival});
  on_.put<&memory_tables::inbound>(key,
                                   memory_tables::inbound_entry{row, arrival});
  on_.put<&memory_tables::inbound_order>(
    memory_tables::arrival_key{queue, arrival}, key);
  return ok();
}

expected<std::vector<uint64_t>>
memory_inbox::find_seen(queue_no queue, std::span<const uint64_t> hashes) {
  WEIR_TRY(const auto statement, on_.run("find seen"));
  std::vector<uint64_t> seen;
  for (const auto hash : hashes) {
    if (on_.tables().seen.contains({queue, hash}))
      seen.push_back(hash);
  }
  return seen;
}

expected<void> memory_inbox::remember_seen(queue_no queue,
                                           std::span<const uint64_t> hashes,
                                           stored_time now) {
  if (hashes.empty())
    return ok();
  WEIR_TRY(const auto statement, on_.run("remember seen", true));
  auto arrival = next_arrival(on_.tables().seen_order, queue);
  for (const auto hash : hashes) {
    const memory_tables::seen_key key{queue, hash};
    if (on_.tables().seen.contains(key))
      continue;
    on_.put<&memory_tables::seen>(key, memory_tables::seen_entry{arrival, now});
    on_.put<&memory_tables::seen_order>(
      memory_tables::arrival_key{queue, arrival++}, key);
  }
  return ok();
}

template <auto Rows, auto Order, class TimeOf>
uint64_t memory_inbox::forget_oldest(queue_no queue, stored_time before,
                                     size_t keep_max, size_t rows_max,
                                     TimeOf time_of) {
  auto& order = on_.tables().*Order;
  const auto first = order.lower_bound({queue, 0});
  const auto end = order.lower_bound({queue + 1, 0});
  const auto rows = static_cast<size_t>(std::distance(first, end));
  const size_t too_many = rows > keep_max ? rows - keep_max : 0;
  std::vector<memory_tables::arrival_key> leaving;
  for (auto each = first; each != end && leaving.size() < rows_max; ++each) {
    const auto& row = (on_.tables().*Rows).at(each->second);
    if (leaving.size() >= too_many && time_of(row) >= before)
      break;
    leaving.push_back(each->first);
  }
  for (const auto& arrival : leaving) {
    const auto key = order.at(arrival);
    on_.erase<Rows>(key);
    on_.erase<Order>(arrival);
  }
  return leaving.size();
}

expected<uint64_t> memory_inbox::forget(queue_no queue, stored_time before,
                                        size_t inbound_max, size_t seen_max,
                                        size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("forget"));
  const auto inbound
    = forget_oldest<&memory_tables::inbound, &memory_tables::inbound_order>(
      queue, before, inbound_max, rows_max,
      [](const auto& entry) { return entry.row.at; });
  const auto seen
    = forget_oldest<&memory_tables::seen, &memory_tables::seen_order>(
      queue, before, seen_max, rows_max,
      [](const auto& entry) { return entry.at; });
  return inbound + seen;
}

} // namespace weir::test
