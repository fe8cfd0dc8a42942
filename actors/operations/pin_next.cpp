#include "actors/operations/pin_next.hpp"

#include "actors/operations/lanes.hpp"
#include "actors/operations/overflow.hpp"
#include "actors/policy/batcher.hpp"
#include "actors/policy/poison.hpp"
#include "schema/hash.hpp"
#include "schema/transaction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <span>

namespace weir::operations {

namespace {

policy::plan_bounds bounds_of(const queue_row& row,
                              const transaction_bounds& asked) {
  auto bytes = asked.bytes;
  if (row.byte_cap != 0)
    bytes = std::min(bytes, row.byte_cap);
  return {asked.events, asked.ephemeral, asked.to_device, bytes};
}

/// What the planner is asked about: rows, and behind them what waits.
class plan {
public:
  explicit plan(uint32_t format) : format_{format} {
  }

  void add(const owed_row& row) {
    add({row.seq, row.came_with, row.alone, row.item.kind, row.item.keys,
         row.item.bytes.size()});
  }
  void add(const waiting_row& row) {
    add({behind_all, behind_all, false, lane::ephemeral, row.keys,
         row.bytes.size()});
  }
  [[nodiscard]] const std::vector<policy::plan_item>& items() const {
    return items_;
  }

private:
  static constexpr uint64_t behind_all = UINT64_MAX;

  void add(policy::plan_item item) {
    if (item.kind == lane::ephemeral)
      item.keys = spelt_.emplace_back(ephemeral_keys(format_, item.keys));
    items_.push_back(item);
  }

  uint32_t format_;
  std::deque<std::string> spelt_; ///< Of ephemeral items, as rendered.
  std::vector<policy::plan_item> items_;
};

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

/// The oldest owed rows. Those of the ephemeral lane that are too old are
/// dropped: a retired transaction may have left some.
expected<std::vector<owed_row>> read_owed(store& db, const batch_context& batch,
                                          queue_row& row,
                                          const policy::plan_bounds& to,
                                          const policy::lane_rules& lanes) {
  std::vector<owed_row> rows;
  while (rows.empty() && row.owed_events + row.owed_others > 0) {
    WEIR_TRY(rows,
             db.outbox().read_owed(row.no, row.acked,
                                   rows_worth_reading(row, to), to.bytes));
    if (rows.empty())
      return fail(ec::corrupt,
                  fmt::format("appservice {}: {} elements owed, no row found",
                              row.id.value, row.owed_events + row.owed_others));
    WEIR_TRY(drop_old_rows(db, batch, row, lanes, rows));
  }
  return rows;
}

/// How many of `items` go into the next transaction.
size_t planned(const queue_row& row,
               const std::vector<policy::plan_item>& items,
               const policy::plan_bounds& to) {
  const auto count = policy::plan_transaction(items, to);
  const policy::suspect stretch{row.suspect_first, row.suspect_last};
  if (!stretch.any())
    return count;
  return std::min(count, policy::suspect_share(stretch, items));
}

/// Chooses the rows of the next transaction: the oldest that are owed, and
/// behind all of them what waits. Empty when nothing is owed.
expected<std::vector<owed_row>> choose(store& db, const batch_context& batch,
                                       queue_row& row,
                                       const transaction_bounds& bounds,
                                       uint32_t format,
                                       std::vector<waiting_row>& fresh) {
  WEIR_TRY(bury_outlived(db, batch, row, bounds.queue));
  const auto to = bounds_of(row, bounds);
  WEIR_TRY(auto rows, read_owed(db, batch, row, to, bounds.lanes));
  if (rows.empty() || rows.front().seq > row.suspect_last) {
    row.suspect_first = 0; // The rest of the stretch was too old to be sent.
    row.suspect_last = 0;
  }
  plan next{format};
  for (const auto& each : rows)
    next.add(each);
  std::vector<waiting_row> waiting;
  size_t stored = 0;
  if (rows.size() == row.owed_events + row.owed_others) {
    WEIR_TRY(waiting, drop_old(db, batch, row, bounds.lanes));
    stored = waiting.size();
    std::ranges::copy(fresh, std::back_inserter(waiting));
  }
  for (const auto& each : waiting)
    next.add(each);
  const auto count = planned(row, next.items(), to);
  if (count <= rows.size()) {
    rows.resize(count);
    return rows;
  }
  const auto moved = count - rows.size();
  WEIR_TRY(auto last,
           move_to_outbox(db, row, std::span{waiting}.first(moved), stored));
  if (moved > stored)
    fresh.erase(fresh.begin(),
                fresh.begin() + static_cast<ptrdiff_t>(moved - stored));
  std::ranges::move(last, std::back_inserter(rows));
  return rows;
}

} // namespace

uint64_t first_seq(const pin& of) {
  uint64_t first = of.lanes.front().first;
  for (const auto& range : of.lanes)
    first = std::min(first, range.first);
  return first;
}

uint64_t last_seq(const pin& of) {
  uint64_t last = 0;
  for (const auto& range : of.lanes)
    last = std::max(last, range.last);
  return last;
}

expected<std::optional<owed_transaction>>
pin_next(store& db, const batch_context& batch, queue_row& row,
         const transaction_bounds& bounds, std::vector<waiting_row>& fresh) {
  if (row.pinned)
    return std::optional<owed_transaction>{};
  const auto format
    = bounds.lanes.mirror ? mirrored_format : transaction_format;
  WEIR_TRY(auto rows, choose(db, batch, row, bounds, format, fresh));
  if (rows.empty())
    return std::optional<owed_transaction>{};
  WEIR_TRY(auto body, render(format, rows));
  pin next;
  // Two registrations may name one bridge: no two queues share an id.
  next.id = {fmt::format("{:012x}-{}.{}", batch.run, row.no, row.next_txn++)};
  next.format = format;
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

expected<std::optional<owed_transaction>>
pin_next(store& db, const batch_context& batch, queue_row& row,
         const transaction_bounds& bounds) {
  std::vector<waiting_row> none;
  return pin_next(db, batch, row, bounds, none);
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
