#include "persistence/text_check.hpp"
#include "tests/support/memory_store/memory_ports.hpp"

#include <algorithm>

namespace weir::test {

kept_counts kept_counts_of(const memory_tables& tables,
                           const appservice_id& of) {
  kept_counts counts;
  for (const auto& [id, letter] : tables.letters)
    if (letter.appservice == of) {
      ++counts.letters;
      counts.last_letter = id;
    }
  for (const auto& [id, body] : tables.quarantine)
    if (body.appservice == of) {
      ++counts.bodies;
      counts.last_body = id;
    }
  if (!tables.commands.empty())
    counts.last_command = tables.commands.rbegin()->first;
  return counts;
}

expected<std::vector<held_queue>>
memory_removals::queues(const appservice_id& after, size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("held queues"));
  const auto& tables = on_.tables();
  std::vector<held_queue> rows;
  for (auto each = tables.queue_ids.upper_bound(after.value);
       each != tables.queue_ids.end() && rows.size() < rows_max; ++each)
    rows.push_back({{each->first}, tables.queues.at(each->second).removed_at});
  return rows;
}

expected<kept_counts> memory_removals::count_kept(const appservice_id& of) {
  WEIR_TRY(const auto statement, on_.run("count kept"));
  if (!storable_as_text(of.value))
    return fail(on_.failed(ec::rejected, "count kept: text"));
  return kept_counts_of(on_.tables(), of);
}

expected<void> memory_removals::begin(const removal_row& row) {
  WEIR_TRY(const auto statement, on_.run("begin removal", true));
  if (!on_.tables().queues.contains(row.no))
    return fail(on_.failed(ec::rejected, "begin removal: no such queue"));
  on_.put<&memory_tables::removals>(row.no, row);
  on_.erase<&memory_tables::queues>(row.no);
  on_.erase<&memory_tables::queue_ids>(row.appservice.value);
  on_.erase<&memory_tables::statuses>("appservice/" + row.appservice.value);
  return ok();
}

expected<std::optional<removal_row>>
memory_removals::unfinished(const std::optional<appservice_id>& of) {
  WEIR_TRY(const auto statement, on_.run("removal"));
  for (const auto& [no, row] : on_.tables().removals)
    if (!row.done && (!of || row.appservice == *of))
      return std::optional{row};
  return std::optional<removal_row>{};
}

/// Of one table; `belongs` says which rows.
template <auto Table, class Belongs>
uint64_t memory_removals::remove_of(size_t rows_max, Belongs belongs) {
  std::vector<typename std::decay_t<decltype(on_.tables().*Table)>::key_type>
    keys;
  for (const auto& [key, row] : on_.tables().*Table) {
    if (keys.size() == rows_max)
      break;
    if (belongs(key, row))
      keys.push_back(key);
  }
  for (const auto& key : keys)
    on_.erase<Table>(key);
  return keys.size();
}

expected<uint64_t> memory_removals::remove_some(const removal_row& row,
                                                size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("remove some"));
  const auto by_number
    = [&](const auto& key, const auto&) { return std::get<0>(key) == row.no; };
  uint64_t removed = 0;
  const auto left = [&] { return rows_max - removed; };
  removed += remove_of<&memory_tables::outbox>(left(), by_number);
  removed += remove_of<&memory_tables::waiting>(left(), by_number);
  removed += remove_of<&memory_tables::orderings>(left(), by_number);
  removed += remove_of<&memory_tables::inbound>(left(), by_number);
  (void)remove_of<&memory_tables::inbound_order>(SIZE_MAX, by_number);
  removed += remove_of<&memory_tables::seen>(left(), by_number);
  (void)remove_of<&memory_tables::seen_order>(SIZE_MAX, by_number);
  removed += remove_of<&memory_tables::letters>(
    left(), [&](int64_t id, const dead_letter_row& each) {
      return each.appservice == row.appservice && id <= row.last_letter;
    });
  removed += remove_of<&memory_tables::quarantine>(
    left(), [&](int64_t id, const quarantine_row& each) {
      return each.appservice == row.appservice && id <= row.last_body;
    });
  removed += remove_of<&memory_tables::commands>(
    left(), [&](int64_t id, const command_row& each) {
      return each.target == "appservice/" + row.appservice.value
        && id <= row.last_command;
    });
  return removed;
}

expected<void> memory_removals::finish(const removal_row& row) {
  WEIR_TRY(const auto statement, on_.run("finish removal"));
  if (!on_.tables().queue_ids.contains(row.appservice.value))
    on_.erase<&memory_tables::statuses>("appservice/" + row.appservice.value);
  auto done = row;
  done.done = true;
  on_.put<&memory_tables::removals>(row.no, done);
  (void)remove_of<&memory_tables::removals>(
    SIZE_MAX, [&](queue_no no, const removal_row& each) {
      return each.done && each.appservice == row.appservice && no < row.no;
    });
  return ok();
}

} // namespace weir::test
