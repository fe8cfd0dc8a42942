#include "actors/operations/pin_next.hpp"

#include "actors/policy/batcher.hpp"
#include "actors/policy/poison.hpp"
#include "schema/hash.hpp"
#include "schema/transaction.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::operations {

namespace {

/// The format that new pins are written in. Old ones are rendered for good.
constexpr uint32_t current_format = 1;

policy::plan_bounds bounds_of(const queue_row& row,
                              const transaction_bounds& asked) {
  auto bytes = asked.bytes;
  if (row.byte_cap != 0)
    bytes = std::min(bytes, row.byte_cap);
  return {asked.events, asked.ephemeral, asked.to_device, bytes};
}

std::vector<policy::plan_item> plan_items(std::span<const owed_row> rows) {
  std::vector<policy::plan_item> items;
  items.reserve(rows.size());
  for (const auto& row : rows)
    items.push_back({row.seq, row.came_with, row.alone, row.item.kind,
                     row.item.keys, row.item.bytes.size()});
  return items;
}

/// One range per lane, from the lane's first to its last row.
std::vector<lane_range> ranges_of(std::span<const owed_row> rows) {
  std::vector<lane_range> ranges;
  for (const auto& row : rows) {
    const auto known
      = std::find_if(ranges.begin(), ranges.end(), [&](const auto& range) {
          return range.kind == row.item.kind;
        });
    if (known == ranges.end())
      ranges.push_back({row.item.kind, row.seq, row.seq});
    else
      known->last = row.seq;
  }
  return ranges;
}

expected<std::string> render(uint32_t format, std::span<const owed_row> rows) {
  std::vector<rendered_item> items;
  items.reserve(rows.size());
  for (const auto& row : rows)
    items.push_back({row.item.kind, row.item.keys, row.item.bytes});
  return render_transaction(format, items);
}

owed_transaction owed_from(const queue_row& queue,
                           std::span<const owed_row> rows, std::string body) {
  const policy::suspect stretch{queue.suspect_first, queue.suspect_last};
  return {queue.pinned->id,
          shared_bytes{std::move(body)},
          rows.front().seq,
          rows.back().seq,
          rows.size(),
          queue.pinned->events,
          stretch.any() && rows.front().seq >= stretch.first
            && rows.back().seq <= stretch.last,
          {}};
}

/// How many rows are worth reading for one transaction: lanes other than events
/// only when there are any, since most queues hold events alone.
size_t rows_worth_reading(const queue_row& row, const policy::plan_bounds& to) {
  return row.owed_others == 0 ? to.events
                              : to.events + to.ephemeral + to.to_device + 1;
}

} // namespace

bool owes(const queue_row& row) noexcept {
  return row.owed_events + row.owed_others > 0;
}

expected<std::optional<owed_transaction>>
pin_next(store& db, const batch_context& batch, queue_row& row,
         const transaction_bounds& bounds) {
  if (row.pinned || !owes(row))
    return std::optional<owed_transaction>{};
  const auto to = bounds_of(row, bounds);
  WEIR_TRY(auto rows,
           db.outbox().read_owed(row.no, row.acked, rows_worth_reading(row, to),
                                 to.bytes));
  if (rows.empty())
    return fail(ec::corrupt,
                fmt::format("appservice {}: {} elements owed, no row found",
                            row.id.value, row.owed_events + row.owed_others));
  const auto items = plan_items(rows);
  auto count = policy::plan_transaction(items, to);
  const policy::suspect stretch{row.suspect_first, row.suspect_last};
  if (stretch.any())
    count = std::min(count, policy::suspect_share(stretch, items));
  rows.resize(std::clamp<size_t>(count, 1, rows.size()));

  WEIR_TRY(auto body, render(current_format, rows));
  pin next;
  next.id = {fmt::format("{:012x}-{}", batch.run, row.next_txn++)};
  next.format = current_format;
  next.lanes = ranges_of(rows);
  next.sha256 = sha256_hex(body);
  for (const auto& chosen : rows) {
    (chosen.item.kind == lane::event ? next.events : next.others) += 1;
    next.bytes += chosen.item.bytes.size();
  }
  row.pinned = std::move(next);
  auto owed = owed_from(row, rows, std::move(body));
  owed.as_of = batch.now;
  return std::optional{std::move(owed)};
}

expected<owed_transaction> render_pinned(store& db, const queue_row& row) {
  WEIR_ASSERT(row.pinned.has_value());
  WEIR_TRY(auto rows, db.outbox().read_ranges(row.no, row.pinned->lanes));
  if (rows.size() != row.pinned->events + row.pinned->others)
    return fail(ec::corrupt,
                fmt::format("appservice {}: transaction {} names "
                            "{} rows, {} found",
                            row.id.value, row.pinned->id.value,
                            row.pinned->events + row.pinned->others,
                            rows.size()));
  WEIR_TRY(auto body, render(row.pinned->format, rows));
  if (sha256_hex(body) != row.pinned->sha256)
    return fail(ec::corrupt,
                fmt::format("appservice {}: transaction {} has other bytes "
                            "than it was pinned with",
                            row.id.value, row.pinned->id.value));
  return owed_from(row, rows, std::move(body));
}

} // namespace weir::operations
