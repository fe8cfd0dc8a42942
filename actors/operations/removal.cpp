#include "actors/operations/removal.hpp"

#include "actors/policy/removal.hpp"

#include <fmt/format.h>

namespace weir::operations {

namespace {

/// Of a page of ids.
constexpr size_t held_rows_max = 1'000;

/// Deletes some, and ends the removal when there are no more.
expected<removal_done> go_on(store& db, const removal_row& row) {
  removal_done reply{removal_result::removed, row.appservice, 0, true};
  WEIR_TRY(reply.rows, db.removals().remove_some(row, limits::remove_rows_max));
  if (reply.rows > 0)
    return reply;
  reply.more = false;
  WEIR_TRY(db.removals().finish(row));
  return reply;
}

/// Frees the id. What came by it up to now goes, and nothing that comes later.
expected<removal_row> begin(store& db, const batch_context& batch,
                            const queue_row& queue, const kept_counts& kept,
                            const std::string& by) {
  removal_row row;
  row.no = queue.no;
  row.appservice = queue.id;
  row.next_seq = queue.next_seq;
  row.next_txn = queue.next_txn;
  row.last_letter = kept.last_letter;
  row.last_body = kept.last_body;
  row.last_command = kept.last_command;
  row.begun_at = batch.now;
  WEIR_TRY(db.removals().begin(row));
  WEIR_TRY(db.commands().record(
    {0, "appservice/" + queue.id.value, "remove", by, batch.now,
     fmt::format("{} owed, {} dead letters, {} quarantined",
                 queue.owed_events + queue.owed_others, kept.letters,
                 kept.bodies)}));
  return row;
}

} // namespace

std::string removal_mark(const queue_row& row, const kept_counts& kept) {
  return fmt::format("{}-{}-{}-{}-{}-{}-{}", row.no, row.next_seq,
                     row.owed_events + row.owed_others, kept.letters,
                     kept.last_letter, kept.bodies, kept.last_body);
}

expected<held_page> held(store& db, const batch_context& batch,
                         const list_held& request) {
  held_page page;
  WEIR_TRY(page.queues, db.removals().queues(request.after, held_rows_max));
  page.last = page.queues.size() < held_rows_max;
  page.now = batch.now;
  return page;
}

expected<stored> note(store& db, const batch_context& batch,
                      const note_removed& request) {
  for (const auto& id : request.appservices) {
    WEIR_TRY(auto row, db.outbox().lock_queue(id));
    if (!row || (row->removed_at != stored_time{}) == request.is_gone)
      continue;
    row->removed_at = request.is_gone ? batch.now : stored_time{};
    WEIR_TRY(db.outbox().save_queue(*row));
  }
  return stored{};
}

expected<removal_done> remove(store& db, const batch_context& batch,
                              const remove_appservice& request) {
  const auto& id = request.appservice;
  removal_done reply;
  reply.appservice = id;
  WEIR_TRY(auto queue, db.outbox().lock_queue(id));
  WEIR_TRY(const auto begun, db.removals().unfinished(id));
  if (begun)
    return go_on(db, *begun);
  if (!queue)
    return reply;
  if (request.kept_for.count() > 0
      && !policy::is_removal_due(queue->removed_at, batch.now,
                                 request.kept_for)) {
    reply.result = removal_result::kept;
    return reply;
  }
  WEIR_TRY(const auto kept, db.removals().count_kept(id));
  if (!request.mark.empty() && request.mark != removal_mark(*queue, kept)) {
    reply.result = removal_result::changed;
    return reply;
  }
  WEIR_TRY(const auto row, begin(db, batch, *queue, kept, request.by));
  return go_on(db, row);
}

expected<removal_done> remove_next(store& db, const batch_context&,
                                   const continue_removals&) {
  WEIR_TRY(const auto row, db.removals().unfinished(std::nullopt));
  if (!row)
    return removal_done{};
  auto reply = go_on(db, *row);
  if (reply) // Another may wait.
    reply.value().more = true;
  return reply;
}

} // namespace weir::operations
