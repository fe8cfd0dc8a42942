#include "actors/operations/settle.hpp"

#include "actors/operations/kept_room.hpp"
#include "actors/operations/overflow.hpp"
#include "actors/operations/pin_next.hpp"
#include "actors/policy/poison.hpp"

#include <algorithm>

namespace weir::operations {

namespace {

void set_suspect(queue_row& row, policy::suspect stretch) {
  row.suspect_first = stretch.first;
  row.suspect_last = stretch.last;
}

/// Removes the pinned rows and moves the cursor past them.
expected<void> leave_outbox(store& db, queue_row& row) {
  const auto& done = *row.pinned;
  WEIR_TRY(auto removed, db.outbox().remove(row.no, done.lanes));
  if (removed != done.events + done.others)
    return fail(ec::corrupt,
                "appservice " + row.id.value + ": transaction " + done.id.value
                  + " has lost rows");
  row.owed_events -= done.events;
  row.owed_others -= done.others;
  row.owed_bytes -= done.bytes;
  row.acked = std::max(row.acked, last_seq(done));
  set_suspect(row,
              policy::narrowed_by_success({row.suspect_first, row.suspect_last},
                                          row.acked));
  return ok();
}

void end_pause(queue_row& row) {
  row.not_before = {};
  row.paused_by = pause_cause::none;
}

/// How far the second door's events have come, for a person.
expected<void> note_ordering(store& db, queue_row& row) {
  const auto first = first_seq(*row.pinned);
  if (first > row.ordered_seq)
    return ok();
  WEIR_TRY(auto highest,
           db.orderings().highest(row.no, first, last_seq(*row.pinned)));
  row.delivered_stream_ordering
    = std::max(row.delivered_stream_ordering, highest.value_or(0));
  return ok();
}

expected<void> deliver(store& db, queue_row& row) {
  WEIR_TRY(note_ordering(db, row));
  WEIR_TRY(leave_outbox(db, row));
  row.delivered_transactions += 1;
  row.delivered_events += row.pinned->events;
  end_pause(row);
  return ok();
}

/// Keeps the one element of the pin for a person. False when there is no room.
expected<bool> bury(store& db, const batch_context& batch, queue_row& row,
                    const settle_transaction& request) {
  WEIR_TRY(auto rows, db.outbox().read_ranges(row.no, row.pinned->lanes));
  if (rows.size() != 1)
    return fail(ec::rejected,
                "appservice " + row.id.value
                  + ": only a lone element becomes a dead letter");
  WEIR_TRY(const auto room, letter_room(db, row.id));
  const auto& rejected = rows.front();
  if (rejected.item.bytes.size() > room)
    return false;
  WEIR_TRY(
    db.keep().bury({0, row.id, rejected.seq, rejected.item, request.reason,
                    request.attempts, rejected.accepted_at, batch.now}));
  WEIR_TRY(leave_outbox(db, row));
  set_suspect(row, {}); // It was the bad one; of the rest nothing is known.
  return true;
}

std::string_view result_name(settlement how) {
  switch (how) {
  case settlement::delivered: return "delivered";
  case settlement::bisected:
  case settlement::split: return "retired";
  case settlement::dead_letter: return "dead_letter";
  }
  return "unknown";
}

/// Does what became of the transaction. False: there was no room for it.
expected<bool> apply(store& db, const batch_context& batch, queue_row& row,
                     const settle_transaction& request) {
  switch (request.how) {
  case settlement::delivered: {
    WEIR_TRY(deliver(db, row));
    return true;
  }
  case settlement::bisected:
    set_suspect(row,
                policy::narrowed_by_refusal(first_seq(*row.pinned),
                                            last_seq(*row.pinned)));
    return true;
  case settlement::split:
    row.byte_cap = policy::byte_bound_after_too_big(row.pinned->bytes);
    return true;
  case settlement::dead_letter: return bury(db, batch, row, request);
  }
  return true;
}

/// The pinned transaction, or one pinned now. Errors: `ec::corrupt` when the
/// rows do not give what was promised.
expected<std::optional<owed_transaction>>
what_is_owed(store& db, const batch_context& batch, queue_row& row,
             const transaction_bounds& bounds) {
  if (row.pinned) {
    WEIR_TRY(auto pinned, render_pinned(db, row));
    return std::optional{std::move(pinned)};
  }
  const auto before = row;
  WEIR_TRY(auto next, pin_next(db, batch, row, bounds));
  if (row != before) { // What is too old to be sent is gone.
    WEIR_TRY(db.outbox().save_queue(row));
  }
  return next;
}

/// What was last told of the queue, as ages.
expected<std::optional<policy::queue_story>>
story_of(store& db, const batch_context& batch, const appservice_id& id) {
  WEIR_TRY(auto told, db.outcomes().find_status("appservice/" + id.value));
  if (!told)
    return std::optional<policy::queue_story>{};
  const auto age
    = [&](stored_time of) { return std::max(batch.now - of, milliseconds{0}); };
  return std::optional{policy::queue_story{
    std::move(told->state), std::move(told->cause), std::move(told->subject),
    age(told->since), std::move(told->last_error),
    std::move(told->last_error_text), age(told->last_error_at)}};
}

} // namespace

expected<transaction_settled> settle(store& db, batch_context& batch,
                                     const settle_transaction& request) {
  transaction_settled reply;
  WEIR_TRY(auto row, db.outbox().lock_queue(request.appservice));
  if (!row || !row->pinned || row->pinned->id != request.id) {
    reply.not_current = true;
    return reply;
  }
  const auto before = *row;
  WEIR_TRY(auto done, apply(db, batch, *row, request));
  if (!done) {
    reply.no_room = true;
    return reply;
  }
  // A verdict on the content is no overload. What the bridge asked for stays.
  if (row->paused_by == pause_cause::own)
    end_pause(*row);
  WEIR_TRY(db.outcomes().record(
    {batch.slot, ++batch.pos, "appservice/" + row->id.value,
     row->pinned->id.value, std::string{result_name(request.how)},
     request.reason, row->pinned->events, batch.now}));
  row->pinned.reset();
  WEIR_TRY(auto next, pin_next(db, batch, *row, request.bounds));
  reply.next = std::move(next);
  reply.bounds = note_bounds(before, *row, request.bounds.queue);
  WEIR_TRY(db.outbox().save_queue(*row));
  return reply;
}

expected<queue_loaded> load(store& db, const batch_context& batch,
                            const load_queue& request) {
  queue_loaded reply;
  WEIR_TRY(auto row, db.outbox().lock_queue(request.appservice));
  if (!row)
    return reply;
  reply.acked = row->acked;
  reply.halted = row->halted;
  if (row->not_before > batch.now) {
    reply.rest = row->not_before - batch.now;
    reply.paused_by = row->paused_by;
  }
  WEIR_TRY(reply.story, story_of(db, batch, row->id));
  auto owed = what_is_owed(db, batch, *row, request.bounds);
  if (!owed && owed.error().code != ec::corrupt)
    return fail(owed.error());
  reply.corrupt = !owed.has_value();
  if (owed)
    reply.pinned = std::move(owed.value());
  if (reply.pinned)
    reply.pinned->as_of = batch.now;
  return reply;
}

} // namespace weir::operations
