#include "actors/operations/housekeeping.hpp"

#include "actors/operations/kept_room.hpp"
#include "actors/operations/lanes.hpp"
#include "actors/operations/overflow.hpp"
#include "actors/policy/overflow.hpp"

#include <algorithm>

namespace weir::operations {

namespace {

/// Rows that one call forgets at most, so that a batch stays short.
constexpr size_t forget_rows_max = 1'000;

/// What is still owed is remembered however old it is: a bridge may be away for
/// longer than a homeserver's memory.
expected<void> forget_orderings(store& db, const batch_context& batch,
                                queue_row& row) {
  if (row.orderings == 0)
    return ok();
  const auto too_many
    = row.orderings - std::min<uint64_t>(row.orderings, limits::orderings_max);
  WEIR_TRY(const auto gone,
           db.orderings().forget(row.no, batch.now - limits::orderings_age,
                                 too_many, row.acked, forget_rows_max));
  row.orderings -= gone;
  return ok();
}

/// Gives up what is too old, and judges the age of the oldest.
expected<void> age_queue(store& db, const batch_context& batch, queue_row& row,
                         const queue_bounds& bounds) {
  WEIR_TRY(bury_outlived(db, batch, row, bounds));
  milliseconds oldest{0};
  if (bounds.age_max.count() > 0) {
    WEIR_TRY(auto first, db.outbox().read_owed(row.no, row.acked, 1, 1));
    if (!first.empty())
      oldest = batch.now - first.front().accepted_at;
  }
  row.near_bounds = policy::near_age(row.near_bounds, oldest, bounds);
  return ok();
}

} // namespace

expected<stored> pause(store& db, const batch_context& batch,
                       const store_pause& request) {
  WEIR_TRY(auto row, db.outbox().lock_queue(request.appservice));
  if (!row)
    return stored{};
  const bool rests = request.rest.count() > 0;
  row->not_before = rests ? batch.now + request.rest : stored_time{};
  row->paused_by = rests ? request.cause : pause_cause::none;
  WEIR_TRY(db.outbox().save_queue(*row));
  return stored{};
}

expected<stored> publish(store& db, const batch_context& batch,
                         const publish_status& request) {
  queue_status_row row;
  row.queue = request.queue;
  row.state = request.state;
  row.cause = request.cause;
  row.since = batch.now - request.in_state;
  if (request.next_in.count() >= 0)
    row.next_at = batch.now + request.next_in;
  row.last_error = request.last_error;
  if (!request.last_error.empty())
    row.last_error_at = batch.now - request.since_error;
  row.attempts = request.attempts;
  if (request.sending.count() > 0)
    row.sending_since = batch.now - request.sending;
  row.subject = request.subject;
  row.last_error_text = request.last_error_text;
  row.as_of = batch.now;
  WEIR_TRY(db.outcomes().put_status(row));
  return stored{};
}

expected<quarantined> quarantine(store& db, const batch_context& batch,
                                 const quarantine_body& request) {
  const quarantine_row row{0,
                           request.appservice,
                           request.hs_txn_id,
                           std::string{request.body.view()},
                           request.reason,
                           1,
                           batch.now,
                           batch.now};
  // A homeserver repeats a body for ever; a full quarantine still has those it
  // took in.
  WEIR_TRY(auto known, db.keep().count_quarantined(row));
  if (known)
    return quarantined{true};
  WEIR_TRY(const auto room, body_room(db, row.appservice));
  if (row.body.size() > room)
    return quarantined{false};
  WEIR_TRY(db.keep().quarantine(row));
  return quarantined{true};
}

expected<stored> beat(store&, const batch_context&, const beat_slot&) {
  return stored{};
}

expected<stored> adopt(store& db, const batch_context&,
                       const adopt_queues& request) {
  for (const auto& id : request.appservices) {
    WEIR_TRY(auto row, db.outbox().adopt_queue(id));
    if (row.byte_cap == 0 && row.removed_at == stored_time{})
      continue;
    row.byte_cap = 0;
    row.removed_at = {};
    WEIR_TRY(db.outbox().save_queue(row));
  }
  return stored{};
}

expected<forgotten> forget(store& db, const batch_context& batch,
                           const forget_old& request) {
  if (!request.appservice) {
    WEIR_TRY(auto rows,
             db.outcomes().forget_outcomes(batch.now - limits::outcomes_age,
                                           limits::outcomes_max,
                                           forget_rows_max));
    WEIR_TRY(
      auto commands,
      db.commands().forget_commands(limits::commands_max, forget_rows_max));
    return forgotten{rows + commands, {}};
  }
  WEIR_TRY(auto row, db.outbox().lock_queue(*request.appservice));
  if (!row)
    return forgotten{};
  WEIR_TRY(auto rows,
           db.inbox().forget(row->no, batch.now - limits::seen_events_age,
                             limits::inbound_transactions_max,
                             limits::seen_events_max, forget_rows_max));
  const auto before = *row;
  WEIR_TRY(forget_orderings(db, batch, *row));
  WEIR_TRY(drop_old(db, batch, *row, request.bounds.lanes));
  WEIR_TRY(age_queue(db, batch, *row, request.bounds.queue));
  const auto news = note_bounds(before, *row, request.bounds.queue);
  if (*row != before) {
    WEIR_TRY(db.outbox().save_queue(*row));
  }
  return forgotten{rows + before.orderings - row->orderings + row->dropped
                     - before.dropped + news.overflowed,
                   news};
}

expected<owed_page> owed(store& db, const batch_context&,
                         const list_owed& request) {
  WEIR_TRY(auto ids,
           db.outbox().owed_queues(request.after, limits::page_rows_max));
  const bool last = ids.size() < limits::page_rows_max;
  return owed_page{std::move(ids), last};
}

} // namespace weir::operations
