#include "actors/operations/realm_control.hpp"

#include "actors/operations/realm_audience.hpp"
#include "actors/operations/realm_ledger.hpp"
#include "actors/policy/realm_store_rules.hpp"
#include "actors/policy/send_id.hpp"
#include "schema/hash.hpp"

#include <utility>

namespace weir::operations {

namespace {

/// No more of its rooms are written.
void stop_binding(realm_ledger& ledger, realm_event_row& event) {
  if (event.state != realm_event_state::binding)
    return;
  event.state = realm_event_state::bound;
  event.targets = event.written;
  ledger.row.binding = 0;
}

/// An event that was over is open again.
void reopen(realm_ledger& ledger, realm_event_row& event) {
  auto& realm = ledger.row;
  event.state = realm_event_state::bound;
  event.over_at = {};
  event.bound_at = ledger.now();
  realm.open_events += 1;
  realm.open_bytes += event.size;
  if (event.importance == realm_class::lossy)
    realm.lossy_bytes += event.size;
}

/// Begins a send anew.
expected<void> begin_anew(store& db, realm_ledger& ledger,
                          realm_event_row& event, realm_send_row send,
                          const std::string& sha256) {
  send.generation += 1;
  send.txn = policy::send_id_of_digest(event.event_id, send.room, sha256,
                                       send.generation);
  send.bound_at = ledger.now();
  send.attempts = 0;
  send.tries = 0;
  send.may_be_stored = false;
  send.cause.clear();
  send.not_before = {};
  send.outcome = send_outcome::none;
  send.over_at = {};
  WEIR_TRY(db.realms().sends.save(ledger.row.no, send));
  event.failed -= 1;
  event.unsettled += 1;
  ledger.row.dead_letters -= 1;
  ledger.row.unsettled += 1;
  return ok();
}

/// Ends queued events that were there when the realm was deleted.
expected<bool> end_queued(store& db, realm_ledger& ledger) {
  for (size_t ended = 0; ended < limits::realm_ends_max; ++ended) {
    WEIR_TRY(auto head, db.realms().events.head(ledger.row.no));
    if (!head || !ledger.is_cancelled(head->seq))
      return true;
    WEIR_TRY(ledger.end_event(*head, send_outcome::cancelled));
  }
  return false;
}

/// Ends subscriptions. Whoever binds meanwhile sees some of them.
expected<bool> end_audience(store& db, realm_ledger& ledger) {
  auto& realm = ledger.row;
  auto& rows = db.realms().rows;
  WEIR_TRY(const bool is_free, give_up_stage(db, realm));
  if (!is_free)
    return false;
  WEIR_TRY(const auto page,
           rows.audience(realm.no, realm.audience_version, "",
                         limits::realm_audience_change_max));
  if (page.empty())
    return true;
  std::vector<room_id> rooms;
  for (const auto& each : page)
    rooms.push_back(each.room);
  realm.audience_version += 1;
  WEIR_TRY(const auto ended,
           rows.unsubscribe(realm.no, rooms, realm.audience_version));
  realm.audience -= ended;
  return rooms.size() < limits::realm_audience_change_max;
}

} // namespace

uint64_t feed_rows_of(const cancel_realm_event&) {
  return 1;
}

uint64_t feed_rows_of(const delete_realm&) {
  return limits::realm_ends_max;
}

expected<realm_event_cancelled>
cancel_event(store& db, batch_context& batch,
             const cancel_realm_event& request) {
  realm_event_cancelled reply;
  reply.at = {batch.slot, batch.run, batch.pos + 1};
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return reply;
  realm_ledger ledger{db, batch, found};
  WEIR_TRY(auto event, db.realms().events.find_id(found->no, request.event_id));
  if (!event)
    return reply;
  reply.known = true;
  reply.already_over = event->state == realm_event_state::over;
  if (event->state == realm_event_state::queued) {
    WEIR_TRY(ledger.end_event(*event, send_outcome::cancelled));
  } else if (!reply.already_over) {
    stop_binding(ledger, *event);
    event->how = send_outcome::cancelled;
    WEIR_TRY(ledger.keep(*event));
  }
  reply.unsettled = event->unsettled;
  WEIR_TRY(ledger.save());
  reply.news = ledger.news();
  return reply;
}

expected<realm_event_redelivered>
redeliver_event(store& db, batch_context& batch,
                const redeliver_realm_event& request) {
  realm_event_redelivered reply;
  reply.at = {batch.slot, batch.run, batch.pos + 1};
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return reply;
  realm_ledger ledger{db, batch, found};
  auto& ports = db.realms().sends;
  WEIR_TRY(auto event, db.realms().events.find_id(found->no, request.event_id));
  if (!event)
    return reply;
  reply.known = true;
  if (event->failed == 0)
    return reply;
  WEIR_TRY(const auto content,
           db.realms().events.content(found->no, event->seq));
  if (!content)
    return fail(ec::corrupt, "realm: a dead letter has lost its content");
  const auto sha256 = sha256_hex(content->content);
  WEIR_TRY(const auto rows,
           ports.of_event(found->no, event->seq, false, request.after,
                          limits::realm_ends_max));
  for (const auto& each : rows) {
    reply.last = each.room.value;
    if (!policy::is_dead_letter(each.outcome))
      continue;
    if (event->state == realm_event_state::over) {
      reopen(ledger, *event);
      reply.came_back = realm_left{event->importance, event->size};
    }
    WEIR_TRY(begin_anew(db, ledger, *event, each, sha256));
    reply.sends += 1;
  }
  reply.more = rows.size() == limits::realm_ends_max;
  // What was cancelled is wanted again.
  if (reply.sends > 0) {
    event->how = send_outcome::none;
    WEIR_TRY(db.realms().events.save(found->no, *event));
    WEIR_TRY(ledger.save());
  }
  WEIR_TRY(const auto lanes,
           ports.lanes(found->no, request.after, limits::realm_lanes_page));
  for (const auto& lane : lanes)
    reply.lanes.push_back({lane.room, lane.seq, lane.has_more});
  reply.news = ledger.news();
  return reply;
}

expected<realm_halted> halt(store& db, batch_context& batch,
                            const halt_realm& request) {
  realm_halted reply;
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return reply;
  reply.known = true;
  realm_ledger ledger{db, batch, found};
  auto& halted = ledger.row.halted;
  reply.changed = halted.has_value() != request.halted;
  if (reply.changed) {
    halted.reset();
    if (request.halted)
      halted = weir::halt{batch.now, request.by, request.reason};
    WEIR_TRY(ledger.save());
    WEIR_TRY(db.commands().record({0, realm_name(request.realm),
                                   request.halted ? "pause" : "resume",
                                   request.by, batch.now, request.reason}));
  }
  reply.halted = halted;
  return reply;
}

expected<realm_deleted> delete_some(store& db, batch_context& batch,
                                    const delete_realm& request) {
  realm_deleted reply;
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return reply;
  reply.known = true;
  realm_ledger ledger{db, batch, found};
  auto& realm = ledger.row;
  if (request.begins) {
    realm.cancelled_upto = realm.next_seq - 1;
    realm.deleted_at = batch.now;
    WEIR_TRY(db.commands().record(
      {0, realm_name(request.realm), "delete", request.by, batch.now, ""}));
  }
  if (realm.binding != 0 && ledger.is_cancelled(realm.binding)) {
    WEIR_TRY(auto event, db.realms().events.read(realm.no, realm.binding));
    if (!event)
      return fail(ec::corrupt, "realm: the event being bound is gone");
    stop_binding(ledger, *event);
    WEIR_TRY(ledger.keep(*event));
  }
  WEIR_TRY(const bool queue_ended, end_queued(db, ledger));
  // Whoever uses it again meanwhile has an audience of its own.
  bool audience_ended = true;
  if (realm.deleted_at != stored_time{}) {
    WEIR_TRY(audience_ended, end_audience(db, ledger));
  }
  reply.more = !queue_ended || !audience_ended;
  WEIR_TRY(ledger.save());
  reply.news = ledger.news();
  return reply;
}

} // namespace weir::operations
