#include "actors/operations/realm_upkeep.hpp"

#include "actors/operations/realm_ledger.hpp"
#include "actors/policy/realm_expiry.hpp"
#include "actors/policy/send_verdict.hpp"

#include <utility>

namespace weir::operations {

namespace {

/// Ends queued events whose time has passed. Returns whether none is left.
expected<bool> end_due(store& db, realm_ledger& ledger, uint64_t& ended) {
  WEIR_TRY(auto rows,
           db.realms().events.due(ledger.row.no, ledger.now(),
                                  limits::realm_ends_max));
  for (auto& event : rows) {
    // Which rooms are left open matters to completions alone.
    if (!policy::expires(event.importance, event.expires_at, ledger.now(),
                         true))
      continue;
    WEIR_TRY(ledger.end_event(event, send_outcome::expired));
    ended += 1;
  }
  return rows.size() < limits::realm_ends_max;
}

/// Ends sends of one event that are too old.
expected<void> end_uncertain_of(store& db, realm_ledger& ledger,
                                realm_event_row event, uint64_t& ended) {
  WEIR_TRY(auto rows,
           db.realms().sends.of_event(ledger.row.no, event.seq, true, "",
                                      limits::realm_ends_max - ended));
  for (auto& send : rows) {
    if (!policy::is_uncertain(send.bound_at, ledger.now()))
      continue;
    WEIR_TRY(ledger.end_send(event, send, send_outcome::uncertain));
    ended += 1;
  }
  WEIR_TRY(ledger.keep(event));
  return ok();
}

/// Events are bound in their order, so the oldest tell whether there is more to
/// look for.
expected<bool> end_uncertain(store& db, realm_ledger& ledger, uint64_t& ended) {
  constexpr size_t events_max = 20;
  for (const auto state :
       {realm_event_state::binding, realm_event_state::bound}) {
    WEIR_TRY(auto rows,
             db.realms().events.in_state(ledger.row.no, state, 0, events_max));
    for (auto& event : rows) {
      if (!policy::is_uncertain(event.bound_at, ledger.now()))
        break;
      WEIR_TRY(end_uncertain_of(db, ledger, std::move(event), ended));
      if (ended >= limits::realm_ends_max)
        return false;
    }
  }
  return true;
}

/// Forgets one event that is over, sends first. Returns whether it is gone.
expected<bool> forget_event(store& db, realm_ledger& ledger,
                            const realm_event_row& event, uint64_t& rows) {
  WEIR_TRY(const auto sends,
           db.realms().sends.remove(ledger.row.no, event.seq,
                                    limits::realm_forget_rows_max - rows));
  rows += sends;
  if (rows >= limits::realm_forget_rows_max)
    return false;
  WEIR_TRY(db.realms().events.remove(ledger.row.no, event.seq));
  ledger.row.dead_letters -= event.failed;
  rows += 1;
  return true;
}

expected<void> forget_events(store& db, realm_ledger& ledger, uint64_t& rows) {
  constexpr size_t events_max = 200;
  for (const bool dead_letters : {true, false}) {
    const auto age
      = dead_letters ? limits::realm_dead_letters_age : limits::realm_keys_age;
    WEIR_TRY(const auto over,
             db.realms().events.over(ledger.row.no, ledger.now() - age,
                                     dead_letters, events_max));
    for (const auto& event : over) {
      WEIR_TRY(const bool gone, forget_event(db, ledger, event, rows));
      if (!gone)
        return ok();
    }
  }
  return ok();
}

/// Subscriptions that no version in use names.
expected<void> forget_subscriptions(store& db, realm_ledger& ledger,
                                    uint64_t& rows) {
  auto version = ledger.row.audience_version;
  if (ledger.row.binding != 0) {
    WEIR_TRY(const auto event,
             db.realms().events.read(ledger.row.no, ledger.row.binding));
    if (event)
      version = event->audience_version;
  }
  if (rows >= limits::realm_forget_rows_max)
    return ok();
  WEIR_TRY(const auto gone,
           db.realms().rows.forget_rooms(ledger.row.no, version,
                                         limits::realm_forget_rows_max - rows));
  rows += gone;
  return ok();
}

/// Nothing is left of a realm that was deleted and not used again.
expected<bool> is_gone(store& db, const realm_ledger& ledger) {
  const auto& row = ledger.row;
  if (row.deleted_at == stored_time{} || row.open_events > 0
      || row.audience > 0)
    return false;
  constexpr stored_time ever{INT64_MAX};
  WEIR_TRY(const auto left, db.realms().events.over(row.no, ever, true, 1));
  return left.empty();
}

} // namespace

uint64_t feed_rows_of(const expire_realm&) {
  return 2 * limits::realm_ends_max;
}

uint64_t feed_rows_of(const drop_realm_lossy&) {
  return limits::realm_ends_max;
}

expected<realm_expired> expire(store& db, batch_context& batch,
                               const expire_realm& request) {
  realm_expired reply;
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return reply;
  realm_ledger ledger{db, batch, found};
  WEIR_TRY(const bool due_ended, end_due(db, ledger, reply.events));
  WEIR_TRY(const bool old_ended, end_uncertain(db, ledger, reply.sends));
  reply.more = !due_ended || !old_ended;
  WEIR_TRY(ledger.save());
  reply.news = ledger.news();
  return reply;
}

expected<realm_dropped> drop_lossy(store& db, batch_context& batch,
                                   const drop_realm_lossy& request) {
  realm_dropped reply;
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return reply;
  realm_ledger ledger{db, batch, found};
  WEIR_TRY(reply.events,
           ledger.drop_lossy(request.bytes, limits::realm_ends_max));
  WEIR_TRY(ledger.save());
  reply.news = ledger.news();
  return reply;
}

expected<stored> note_try(store& db, const batch_context& batch,
                          const note_realm_try& request) {
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return stored{};
  auto& sends = db.realms().sends;
  WEIR_TRY(auto send, sends.read(found->no, request.seq, request.room));
  if (!send || send->outcome != send_outcome::none || send->txn != request.txn)
    return stored{};
  send->attempts = request.attempts;
  send->may_be_stored = request.may_be_stored;
  send->cause = request.cause;
  send->not_before
    = request.rest.count() > 0 ? batch.now + request.rest : stored_time{};
  WEIR_TRY(sends.save(found->no, *send));
  return stored{};
}

expected<realm_forgotten> forget_some(store& db, batch_context& batch,
                                      const forget_realm& request) {
  realm_forgotten reply;
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return reply;
  realm_ledger ledger{db, batch, found};
  WEIR_TRY(forget_events(db, ledger, reply.rows));
  WEIR_TRY(forget_subscriptions(db, ledger, reply.rows));
  reply.more = reply.rows >= limits::realm_forget_rows_max;
  WEIR_TRY(ledger.save());
  // Nothing would find what is left behind of a realm that is gone.
  if (reply.more)
    return reply;
  WEIR_TRY(reply.removed, is_gone(db, ledger));
  if (reply.removed) {
    WEIR_TRY(db.realms().rows.remove(found->no));
  }
  return reply;
}

expected<realm_loaded> load_lanes(store& db, batch_context& batch,
                                  const load_realm& request) {
  realm_loaded reply;
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return reply;
  reply.known = true;
  reply.account = found->account;
  WEIR_TRY(const auto lanes,
           db.realms().sends.lanes(found->no, request.after,
                                   limits::realm_lanes_page));
  for (const auto& lane : lanes)
    reply.lanes.push_back({lane.room, lane.seq, lane.has_more});
  reply.more = lanes.size() == limits::realm_lanes_page;
  reply.news = realm_ledger{db, batch, found}.news();
  return reply;
}

expected<realm_page> list(store& db, const batch_context&,
                          const list_realms& request) {
  realm_page page;
  WEIR_TRY(page.realms,
           db.realms().rows.list(request.after, request.with_work,
                                 limits::page_rows_max));
  page.last = page.realms.size() < limits::page_rows_max;
  return page;
}

expected<stored> pause_account(store& db, const batch_context& batch,
                               const store_account_pause& request) {
  auto& rows = db.realms().rows;
  WEIR_TRY(const auto found, rows.lock_account(request.account));
  auto row = found.value_or(account_row{});
  row.id = request.account;
  const bool rests = request.rest.count() > 0;
  row.not_before = rests ? batch.now + request.rest : stored_time{};
  row.paused_by = rests ? request.cause : pause_cause::none;
  WEIR_TRY(rows.save_account(row));
  return stored{};
}

expected<stored> hold(store& db, const batch_context& batch,
                      const hold_account& request) {
  auto& rows = db.realms().rows;
  WEIR_TRY(const auto found, rows.lock_account(request.account));
  auto row = found.value_or(account_row{});
  row.id = request.account;
  if (request.cause.empty())
    row.held_at = {};
  else if (row.held_at == stored_time{})
    row.held_at = batch.now;
  row.held_cause = request.cause;
  if (!request.device.empty())
    row.device = request.device;
  WEIR_TRY(rows.save_account(row));
  return stored{};
}

expected<account_loaded> account(store& db, const batch_context& batch,
                                 const load_account& request) {
  account_loaded reply;
  WEIR_TRY(const auto row, db.realms().rows.lock_account(request.account));
  if (!row)
    return reply;
  if (row->not_before > batch.now) {
    reply.rest = row->not_before - batch.now;
    reply.paused_by = row->paused_by;
  }
  reply.held_cause = row->held_cause;
  reply.device = row->device;
  return reply;
}

} // namespace weir::operations
