#include "actors/operations/overflow.hpp"

#include "actors/operations/kept_room.hpp"
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

std::vector<policy::overflow_row> asked_about(std::span<const owed_row> rows) {
  std::vector<policy::overflow_row> asked;
  for (const auto& row : rows)
    asked.push_back({row.item.kind, row.item.bytes.size(), row.accepted_at});
  return asked;
}

/// Does with the rows what was decided.
expected<void> give_up(store& db, const batch_context& batch, queue_row& queue,
                       std::span<const owed_row> rows,
                       std::span<const policy::overflow_fate> fates,
                       const char* reason) {
  std::vector<owed_row> gone;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (fates[i] == policy::overflow_fate::stays)
      continue;
    if (fates[i] == policy::overflow_fate::dead_letter) {
      WEIR_TRY(db.keep().bury({0, queue.id, rows[i].seq, rows[i].item, reason,
                               0, rows[i].accepted_at, batch.now}));
      ++queue.overflowed;
    } else {
      ++queue.dropped;
    }
    gone.push_back(rows[i]);
  }
  return leave(db, queue, gone);
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
  WEIR_TRY(const auto room, overflow_letter_room(db, queue.id));
  const auto fates
    = policy::make_room(asked_about(rows), fill_of(queue), bounds, room);
  return give_up(db, batch, queue, rows, fates, "queue_full");
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
    WEIR_TRY(const auto room, overflow_letter_room(db, queue.id));
    const auto old
      = policy::outlived(asked_about(page), batch.now, bounds, room);
    WEIR_TRY(give_up(db, batch, queue, page, old.fates, "too_old"));
    if (!old.all_old || queue.overflowed - before >= limits::overflow_rows_max)
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
