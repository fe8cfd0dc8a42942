#include "actors/operations/overflow.hpp"

#include "actors/operations/pin_next.hpp"
#include "actors/policy/overflow.hpp"

#include <algorithm>

namespace weir::operations {

namespace {

policy::queue_fill fill_of(const queue_row& queue) {
  return {queue.owed_events + queue.owed_others, queue.owed_bytes};
}

/// Rows above it are nobody's promise.
uint64_t pinned_up_to(const queue_row& queue) {
  return queue.pinned ? std::max(last_seq(*queue.pinned), queue.acked)
                      : queue.acked;
}

expected<uint64_t> letter_room(store& db) {
  WEIR_TRY(auto held, db.keep().dead_letter_bytes());
  return limits::dead_letter_bytes_max
    - std::min<uint64_t>(held, limits::dead_letter_bytes_max);
}

expected<void> bury(store& db, const batch_context& batch,
                    const queue_row& queue, const owed_row& row,
                    const char* reason) {
  WEIR_TRY(db.keep().bury(
    {0, queue.id, row.seq, row.item, reason, 0, row.accepted_at, batch.now}));
  return ok();
}

/// Takes rows out of the outbox and the counts.
expected<void> leave(store& db, queue_row& queue,
                     std::span<const owed_row> rows) {
  if (rows.empty())
    return ok();
  std::vector<lane_range> ranges;
  for (const auto& row : rows) {
    ranges.push_back({row.item.kind, row.seq, row.seq});
    (row.item.kind == lane::event ? queue.owed_events : queue.owed_others) -= 1;
    queue.owed_bytes -= row.item.bytes.size();
  }
  WEIR_TRY(auto removed, db.outbox().remove(queue.no, ranges));
  if (removed != rows.size())
    return fail(ec::corrupt,
                "appservice " + queue.id.value + ": owed rows are missing");
  return ok();
}

/// Those of a page that outlived the bound, buried. False: no room is left, or
/// the rest is young.
expected<bool> bury_page(store& db, const batch_context& batch,
                         queue_row& queue, const queue_bounds& bounds,
                         std::span<const owed_row> page) {
  WEIR_TRY(auto room, letter_room(db));
  std::vector<owed_row> gone;
  bool more = true;
  for (const auto& row : page) {
    more = batch.now - row.accepted_at > bounds.age_max
      && row.item.bytes.size() <= room;
    if (!more)
      break;
    if (!policy::outlived(row.item.kind, row.accepted_at, batch.now, bounds))
      continue;
    room -= row.item.bytes.size();
    WEIR_TRY(bury(db, batch, queue, row, "too_old"));
    gone.push_back(row);
  }
  queue.overflowed += gone.size();
  WEIR_TRY(leave(db, queue, gone));
  return more;
}

} // namespace

bool is_full(const queue_row& queue, const queue_bounds& bounds) {
  return policy::is_full(fill_of(queue), bounds);
}

expected<void> make_room(store& db, const batch_context& batch,
                         queue_row& queue, const queue_bounds& bounds) {
  if (bounds.overflow == overflow_policy::hold || !is_full(queue, bounds))
    return ok();
  const auto from = pinned_up_to(queue);
  WEIR_TRY(auto rows,
           db.outbox().read_owed(queue.no, from, limits::overflow_rows_max,
                                 limits::overflow_bytes_max));
  WEIR_TRY(const auto room, letter_room(db));
  std::vector<policy::overflow_row> asked;
  for (const auto& row : rows)
    asked.push_back({row.item.kind, row.item.bytes.size()});
  const auto fates = policy::make_room(asked, fill_of(queue), bounds, room);
  std::vector<owed_row> gone;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (fates[i] == policy::overflow_fate::stays)
      continue;
    if (fates[i] == policy::overflow_fate::dead_letter) {
      WEIR_TRY(bury(db, batch, queue, rows[i], "queue_full"));
      ++queue.overflowed;
    } else {
      ++queue.dropped;
    }
    gone.push_back(std::move(rows[i]));
  }
  return leave(db, queue, gone);
}

expected<void> bury_outlived(store& db, const batch_context& batch,
                             queue_row& queue, const queue_bounds& bounds) {
  if (bounds.age_max.count() <= 0 || queue.owed_events == 0)
    return ok();
  const auto before = queue.overflowed;
  auto after = pinned_up_to(queue);
  // One row first: mostly the oldest is young.
  for (size_t rows_max = 1, looked = 0; looked < limits::overflow_looked_max;
       rows_max = limits::overflow_rows_max) {
    const auto left = limits::overflow_rows_max - (queue.overflowed - before);
    WEIR_TRY(auto page,
             db.outbox().read_owed(queue.no, after, std::min(rows_max, left),
                                   limits::overflow_bytes_max));
    if (page.empty())
      return ok();
    WEIR_TRY(const auto more, bury_page(db, batch, queue, bounds, page));
    if (!more || queue.overflowed - before >= limits::overflow_rows_max)
      return ok();
    after = page.back().seq;
    looked += page.size();
  }
  return ok();
}

bounds_news note_bounds(const queue_row& before, queue_row& queue,
                        const queue_bounds& bounds) {
  queue.near_bounds
    = policy::near_bounds(queue.near_bounds, fill_of(queue), bounds);
  return {before.near_bounds, queue.near_bounds,
          queue.overflowed - before.overflowed};
}

} // namespace weir::operations
