#include "actors/operations/control.hpp"

#include "actors/operations/kept_room.hpp"
#include "actors/operations/overflow.hpp"
#include "actors/operations/pin_next.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace weir::operations {

namespace {

std::string queue_name(const appservice_id& id) {
  return "appservice/" + id.value;
}

void end_pause_of(queue_row& row) {
  row.not_before = {};
  row.paused_by = pause_cause::none;
}

/// What the rows of a pin come to. Of a damaged one that is not what it says.
struct found_rows {
  uint64_t events = 0;
  uint64_t others = 0;
  uint64_t bytes = 0;
};

found_rows count(std::span<const owed_row> rows) {
  found_rows found;
  for (const auto& row : rows) {
    (row.item.kind == lane::event ? found.events : found.others) += 1;
    found.bytes += row.item.bytes.size();
  }
  return found;
}

/// False when there is no room for all of them.
expected<bool> bury_all(store& db, const batch_context& batch,
                        const queue_row& row, std::span<const owed_row> rows,
                        const skip_transaction& request) {
  WEIR_TRY(const auto room, letter_room(db, row.id));
  if (count(rows).bytes > room)
    return false;
  for (const auto& each : rows) {
    WEIR_TRY(db.keep().bury({0, row.id, each.seq, each.item,
                             "skipped by " + request.by, request.attempts,
                             each.accepted_at, batch.now}));
  }
  return true;
}

/// The rows are gone, and with them what the pin says of them: rows that were
/// lost before were counted as owed until now.
expected<void> leave(store& db, queue_row& row) {
  const auto& gone = *row.pinned;
  WEIR_TRY(db.outbox().remove(row.no, gone.lanes));
  row.owed_events -= gone.events;
  row.owed_others -= gone.others;
  row.owed_bytes -= gone.bytes;
  const auto first = first_seq(gone);
  row.acked = std::max(row.acked, last_seq(gone));
  // Of a stretch that lost a part nobody knows whether the rest is bad.
  if (first <= row.suspect_last) {
    row.suspect_first = 0;
    row.suspect_last = 0;
  }
  return ok();
}

/// What is owed is what is there from now on.
void count_anew(queue_row& row, const found_rows& there) {
  const auto& was = *row.pinned;
  row.owed_events = row.owed_events - was.events + there.events;
  row.owed_others = row.owed_others - was.others + there.others;
  row.owed_bytes = row.owed_bytes - was.bytes + there.bytes;
}

/// Errors: those of the store, but no damage, which is what is looked for.
expected<bool> is_damaged(store& db, const queue_row& row) {
  const auto rendered = render_pinned(db, row);
  if (!rendered && rendered.error().code != ec::corrupt)
    return fail(rendered.error());
  return !rendered.has_value();
}

/// Takes the pinned rows out of the way, or says why not.
expected<command_result> take_away(store& db, const batch_context& batch,
                                   queue_row& row,
                                   std::span<const owed_row> rows,
                                   const skip_transaction& request) {
  if (!request.keep_rows) {
    WEIR_TRY(auto kept, bury_all(db, batch, row, rows, request));
    if (!kept)
      return command_result::no_room;
    WEIR_TRY(leave(db, row));
    return command_result::done;
  }
  WEIR_TRY(auto damaged, is_damaged(db, row));
  if (!damaged)
    return command_result::not_damaged;
  count_anew(row, count(rows));
  return command_result::done;
}

} // namespace

expected<queue_halted> set_halt(store& db, const batch_context& batch,
                                const halt_queue& request) {
  WEIR_TRY(auto row, db.outbox().adopt_queue(request.appservice));
  if (row.halted.has_value() == request.halted)
    return queue_halted{row.halted, 0};
  row.halted.reset();
  if (request.halted)
    row.halted = weir::halt{batch.now, request.by, request.reason};
  WEIR_TRY(db.outbox().save_queue(row));
  WEIR_TRY(const auto id,
           db.commands().record({0, queue_name(row.id),
                                 request.halted ? "pause" : "resume",
                                 request.by, batch.now, request.reason}));
  return queue_halted{row.halted, id};
}

expected<back_off_ended> end_stored_back_off(store& db,
                                             const batch_context& batch,
                                             const end_back_off& request) {
  WEIR_TRY(auto row, db.outbox().adopt_queue(request.appservice));
  const bool ours = row.paused_by == pause_cause::own;
  if (ours || (request.force && row.paused_by == pause_cause::peer)) {
    end_pause_of(row);
    WEIR_TRY(db.outbox().save_queue(row));
  }
  WEIR_TRY(const auto id,
           db.commands().record({0, queue_name(row.id), "retry", request.by,
                                 batch.now, request.force ? "forced" : ""}));
  return back_off_ended{id};
}

expected<transaction_skipped> skip(store& db, batch_context& batch,
                                   const skip_transaction& request) {
  transaction_skipped reply;
  WEIR_TRY(auto row, db.outbox().lock_queue(request.appservice));
  if (row) {
    reply.acked = row->acked;
    reply.current = row->pinned ? row->pinned->id : txn_id{};
  }
  if (!row || !row->pinned || row->pinned->id != request.id) {
    reply.result = command_result::not_current;
    return reply;
  }
  const auto before = *row;
  WEIR_TRY(auto rows, db.outbox().read_ranges(row->no, row->pinned->lanes));
  WEIR_TRY(reply.result, take_away(db, batch, *row, rows, request));
  if (reply.result != command_result::done)
    return reply;
  reply.elements = rows.size();
  // It was for what is gone. What the bridge asked for stays.
  if (row->paused_by == pause_cause::own)
    end_pause_of(*row);
  const auto what = request.keep_rows ? "retired" : "dead_letter";
  const auto verb = request.keep_rows ? "retire" : "skip";
  WEIR_TRY(db.outcomes().record(
    {batch.slot, ++batch.pos, queue_name(row->id), request.id.value, what,
     verb + (" by " + request.by), row->pinned->events, batch.now}));
  row->pinned.reset();
  WEIR_TRY(reply.next, pin_next(db, batch, *row, request.bounds));
  reply.bounds = note_bounds(before, *row, request.bounds.queue);
  WEIR_TRY(db.outbox().save_queue(*row));
  reply.current = row->pinned ? row->pinned->id : txn_id{};
  reply.acked = row->acked;
  WEIR_TRY(reply.command,
           db.commands().record(
             {0, queue_name(row->id), verb, request.by, batch.now,
              fmt::format("{}, {} elements", request.id.value, rows.size())}));
  return reply;
}

} // namespace weir::operations
