#include "actors/operations/realm_settle.hpp"

#include "actors/operations/realm_ledger.hpp"
#include "actors/policy/realm_store_rules.hpp"

#include <utility>

namespace weir::operations {

namespace {

/// The event of a send that is there.
expected<realm_event_row> event_of(store& db, realm_no realm, uint64_t seq) {
  WEIR_TRY(auto event, db.realms().events.read(realm, seq));
  if (!event)
    return fail(ec::corrupt, "realm: a send has lost its event");
  return std::move(*event);
}

/// What holds for the head of a lane.
expected<policy::send_condition> condition_of(store& db,
                                              const realm_ledger& ledger,
                                              const realm_event_row& event,
                                              const realm_send_row& send) {
  policy::send_condition what;
  what.bound_at = send.bound_at;
  what.may_be_stored = send.may_be_stored;
  what.is_cancelled
    = ledger.is_cancelled(send.seq) || event.how == send_outcome::cancelled;
  if (send.version == 0)
    return what;
  WEIR_TRY(const auto held,
           db.realms().rows.subscription(ledger.row.no, send.room,
                                         ledger.row.audience_version));
  what.has_lost_subscription = !held || held->added_in != send.version;
  what.is_suspended = held && held->suspended_at != stored_time{};
  return what;
}

expected<owed_send> owed(store& db, const realm_ledger& ledger,
                         const realm_event_row& event, realm_send_row send,
                         bool has_more) {
  WEIR_TRY(auto content, db.realms().events.content(ledger.row.no, send.seq));
  if (!content)
    return fail(ec::corrupt, "realm: an event has lost its content");
  owed_send what;
  what.seq = send.seq;
  what.event_id = event.event_id;
  what.type = event.type;
  what.content = std::move(content->content);
  what.txn = std::move(send.txn);
  what.attempts = send.attempts;
  what.may_be_stored = send.may_be_stored;
  if (send.not_before > ledger.now())
    what.rest = send.not_before - ledger.now();
  what.age = ledger.now() - send.bound_at;
  what.has_more = has_more;
  return what;
}

/// Goes on along the lane until something is to be sent.
expected<void> find_head(store& db, realm_ledger& ledger, const room_id& room,
                         bool only_end, realm_send_begun& reply) {
  auto& sends = db.realms().sends;
  while (reply.ended < limits::realm_ends_max) {
    WEIR_TRY(const auto lane, sends.lane(ledger.row.no, room));
    if (!lane)
      return ok();
    WEIR_TRY(auto send, sends.read(ledger.row.no, lane->seq, room));
    if (!send)
      return fail(ec::corrupt, "realm: a lane names a send that is gone");
    WEIR_TRY(auto event, event_of(db, ledger.row.no, lane->seq));
    WEIR_TRY(const auto holds, condition_of(db, ledger, event, *send));
    const auto how = policy::ends_unsent(holds, ledger.now());
    if (how == send_outcome::none && only_end)
      return ok();
    if (how == send_outcome::none) {
      auto begun = *send;
      begun.tries += 1;
      begun.may_be_stored = true;
      WEIR_TRY(sends.save(ledger.row.no, begun));
      WEIR_TRY(reply.send,
               owed(db, ledger, event, std::move(*send), lane->has_more));
      return ok();
    }
    WEIR_TRY(ledger.end_send(event, *send, how));
    WEIR_TRY(ledger.keep(event));
    reply.ended += 1;
  }
  reply.more = true;
  return ok();
}

} // namespace

uint64_t feed_rows_of(const begin_realm_send&) {
  return limits::realm_ends_max;
}

uint64_t feed_rows_of(const settle_realm_send&) {
  return 1;
}

expected<realm_send_begun> begin_send(store& db, batch_context& batch,
                                      const begin_realm_send& request) {
  realm_send_begun reply;
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return reply;
  realm_ledger ledger{db, batch, found};
  if (!found->halted) {
    WEIR_TRY(find_head(db, ledger, request.room, request.only_end, reply));
    WEIR_TRY(ledger.save());
  }
  reply.news = ledger.news();
  return reply;
}

expected<realm_send_settled> settle_send(store& db, batch_context& batch,
                                         const settle_realm_send& request) {
  realm_send_settled reply;
  reply.not_current = true;
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return reply;
  realm_ledger ledger{db, batch, found};
  auto& sends = db.realms().sends;
  WEIR_TRY(auto send, sends.read(found->no, request.seq, request.room));
  if (send && send->outcome == send_outcome::none && send->txn == request.txn) {
    reply.not_current = false;
    WEIR_TRY(auto event, event_of(db, found->no, request.seq));
    send->remote_id = request.remote_id;
    send->cause = request.cause;
    send->attempts = request.attempts;
    // A verdict tells of all tries before it: what was stored is answered so.
    if (request.how != send_outcome::uncertain)
      send->may_be_stored = false;
    if (request.how == send_outcome::not_joined && send->version != 0) {
      WEIR_TRY(db.realms().rows.suspend(found->no, send->room, send->version,
                                        batch.now));
    }
    WEIR_TRY(ledger.end_send(event, *send, request.how));
    WEIR_TRY(reply.event_over, ledger.keep(event));
    WEIR_TRY(ledger.save());
  }
  WEIR_TRY(const auto lane, sends.lane(found->no, request.room));
  if (lane)
    reply.next = policy::lane_head{lane->room, lane->seq, lane->has_more};
  reply.news = ledger.news();
  return reply;
}

} // namespace weir::operations
