#include "actors/operations/realm_bind.hpp"

#include "actors/operations/realm_ledger.hpp"
#include "actors/policy/realm_expiry.hpp"
#include "actors/policy/realm_lanes.hpp"
#include "actors/policy/send_id.hpp"
#include "schema/hash.hpp"

#include <algorithm>
#include <utility>

namespace weir::operations {

namespace {

/// A room to bind an event for.
struct target {
  room_id room;
  uint64_t version = 0; ///< Of its subscription; 0: the event's own choice.
  bool is_suspended = false;
};

std::optional<stored_time> maybe(stored_time at) {
  return at == stored_time{} ? std::optional<stored_time>{} : at;
}

/// Binds in one commit.
class binding {
public:
  binding(store& db, realm_ledger& ledger, const bind_realm_event& request)
    : db_{db},
      ledger_{ledger},
      request_{request} {
  }

  expected<realm_bound> run();

private:
  expected<bool> end_head(realm_event_row& head);
  expected<std::optional<send_outcome>> ends_whole(const realm_event_row& head);
  expected<policy::head_step> step_of(const realm_event_row& head);
  expected<bool> has_free_target(const realm_event_row& head);
  expected<void> write_rows(realm_event_row event);
  expected<std::vector<target>> next_targets(const realm_event_row& event,
                                             const realm_content_row& content,
                                             size_t rows_max);
  expected<send_outcome> outcome_for(const realm_event_row& event,
                                     const target& to);
  stored_time completes_from(const realm_event_row& head) const {
    return head.accepted_at + request_.audience_wait;
  }

  store& db_;
  realm_ledger& ledger_;
  const bind_realm_event& request_;
  realm_bound reply_;
};

/// How the head ends before it has rooms, if it does.
expected<std::optional<send_outcome>>
binding::ends_whole(const realm_event_row& head) {
  using maybe_end = std::optional<send_outcome>;
  if (ledger_.is_cancelled(head.seq))
    return maybe_end{send_outcome::cancelled};
  const auto expires_at = maybe(head.expires_at);
  if (policy::expires(head.importance, expires_at, ledger_.now(), true))
    return maybe_end{send_outcome::expired};
  if (!policy::expires(head.importance, expires_at, ledger_.now(), false))
    return maybe_end{};
  // A completion: as a whole only when no room waits for one.
  if (ledger_.row.unsettled > 0)
    return maybe_end{};
  WEIR_TRY(const bool any, db_.realms().rows.is_any_left_open(ledger_.row.no));
  return any ? maybe_end{} : maybe_end{send_outcome::expired};
}

/// Whether it is over; the reply tells what to do when it is not.
expected<bool> binding::end_head(realm_event_row& head) {
  WEIR_TRY(auto how, ends_whole(head));
  if (!how) {
    WEIR_TRY(reply_.step, step_of(head));
    if (reply_.step == policy::head_step::wait
        && completes_from(head) > ledger_.now())
      reply_.wait = completes_from(head) - ledger_.now();
    if (reply_.step != policy::head_step::complete)
      return false;
    how = send_outcome::no_rooms;
  }
  WEIR_TRY(ledger_.end_event(head, *how));
  reply_.ended += 1;
  return true;
}

expected<bool> binding::has_free_target(const realm_event_row& head) {
  const auto& realm = ledger_.row;
  const auto targets = head.own_rooms ? head.targets : realm.audience;
  if (policy::surely_has_free_target(targets, realm.unsettled))
    return true;
  if (targets == 0)
    return false;
  auto& sends = db_.realms().sends;
  if (!head.own_rooms)
    return sends.has_free_room(realm.no, realm.audience_version);
  WEIR_TRY(const auto content, db_.realms().events.content(realm.no, head.seq));
  if (!content || !content->rooms)
    return fail(ec::corrupt, "realm: an event has lost its rooms");
  for (const auto& room : *content->rooms) {
    WEIR_TRY(const auto lane, sends.lane(realm.no, room));
    if (!lane)
      return true;
  }
  return false;
}

expected<policy::head_step> binding::step_of(const realm_event_row& head) {
  const auto& realm = ledger_.row;
  policy::unbound_head seen;
  seen.targets = head.own_rooms ? head.targets : realm.audience;
  seen.completes_from = completes_from(head);
  WEIR_TRY(seen.has_free_target, has_free_target(head));
  return policy::next_head_step(seen,
                                {request_.ordering, realm.unsettled,
                                 realm.binding != 0, realm.halted.has_value()},
                                ledger_.now());
}

expected<std::vector<target>>
binding::next_targets(const realm_event_row& event,
                      const realm_content_row& content, size_t rows_max) {
  std::vector<target> targets;
  if (content.rooms) {
    for (auto room
         = std::upper_bound(content.rooms->begin(), content.rooms->end(),
                            room_id{event.bound_after});
         room != content.rooms->end() && targets.size() < rows_max; ++room)
      targets.push_back({*room, 0, false});
    return targets;
  }
  WEIR_TRY(auto rows,
           db_.realms().rows.audience(ledger_.row.no, event.audience_version,
                                      event.bound_after, rows_max));
  for (auto& row : rows)
    targets.push_back(
      {std::move(row.room), row.added_in, row.suspended_at != stored_time{}});
  return targets;
}

/// How the event ends for a room instead of being bound for it.
expected<send_outcome> binding::outcome_for(const realm_event_row& event,
                                            const target& to) {
  if (to.is_suspended)
    return send_outcome::skipped;
  const auto at = maybe(event.expires_at);
  const auto now = ledger_.now();
  if (policy::expires(event.importance, at, now, true))
    return send_outcome::expired;
  if (!policy::expires(event.importance, at, now, false))
    return send_outcome::none;
  const auto no = ledger_.row.no;
  WEIR_TRY(const bool open, db_.realms().rows.is_left_open(no, to.room));
  if (open)
    return send_outcome::none;
  WEIR_TRY(const bool begun, db_.realms().sends.has_open_progress(no, to.room));
  return begun ? send_outcome::none : send_outcome::expired;
}

expected<void> binding::write_rows(realm_event_row event) {
  auto& realm = ledger_.row;
  auto& sends = db_.realms().sends;
  WEIR_TRY(const auto content,
           db_.realms().events.content(realm.no, event.seq));
  if (!content)
    return fail(ec::corrupt, "realm: an event has lost its content");
  const auto sha256 = sha256_hex(content->content);
  const auto before = event.bound_after;
  const auto rows_max = policy::bind_rows(event.targets, event.written);
  WEIR_TRY(const auto targets, next_targets(event, *content, rows_max));
  std::vector<realm_send_row> rows;
  for (const auto& to : targets) {
    realm_send_row row;
    row.seq = event.seq;
    row.room = to.room;
    row.version = to.version;
    row.importance = event.importance;
    row.bound_at = ledger_.now();
    row.txn = policy::send_id_of_digest(event.event_id, to.room, sha256, 0);
    WEIR_TRY(row.outcome, outcome_for(event, to));
    if (row.outcome != send_outcome::none) {
      row.over_at = ledger_.now();
      WEIR_TRY(ledger_.note_end(event, to.room, row.outcome));
    } else {
      event.unsettled += 1;
      realm.unsettled += 1;
    }
    event.bound_after = to.room.value;
    rows.push_back(std::move(row));
  }
  WEIR_TRY(sends.append(realm.no, rows));
  event.written += rows.size();
  const bool all = event.written >= event.targets || rows.size() < rows_max;
  event.state = all ? realm_event_state::bound : realm_event_state::binding;
  realm.binding = all ? 0 : event.seq;
  reply_.seq = event.seq;
  reply_.written = rows.size();
  reply_.step = policy::head_step::wait;
  WEIR_TRY(ledger_.keep(event));
  WEIR_TRY(const auto lanes,
           sends.lanes(realm.no, before, limits::realm_lanes_page));
  for (const auto& lane : lanes)
    reply_.lanes.push_back({lane.room, lane.seq, lane.has_more});
  return ok();
}

expected<realm_bound> binding::run() {
  auto& realm = ledger_.row;
  auto& events = db_.realms().events;
  if (realm.binding != 0) {
    WEIR_TRY(auto event, events.read(realm.no, realm.binding));
    if (!event)
      return fail(ec::corrupt, "realm: the event being bound is gone");
    WEIR_TRY(write_rows(std::move(*event)));
    return std::move(reply_);
  }
  while (reply_.ended < limits::realm_ends_max) {
    WEIR_TRY(auto head, events.head(realm.no));
    if (!head)
      break;
    WEIR_TRY(const bool is_over, end_head(*head));
    if (is_over)
      continue;
    if (reply_.step != policy::head_step::bind || !request_.has_turn)
      break;
    head->audience_version = realm.audience_version;
    head->bound_at = ledger_.now();
    if (!head->own_rooms)
      head->targets = realm.audience;
    realm.unbound -= 1;
    WEIR_TRY(write_rows(std::move(*head)));
    break;
  }
  return std::move(reply_);
}

} // namespace

uint64_t feed_rows_of(const bind_realm_event&) {
  return limits::realm_ends_max + limits::bind_rows_more;
}

expected<realm_bound> bind_event(store& db, batch_context& batch,
                                 const bind_realm_event& request) {
  WEIR_TRY(const auto found, db.realms().rows.lock(request.realm));
  if (!found)
    return realm_bound{};
  realm_ledger ledger{db, batch, found};
  binding one{db, ledger, request};
  WEIR_TRY(auto reply, one.run());
  WEIR_TRY(ledger.save());
  reply.news = ledger.news();
  return reply;
}

} // namespace weir::operations
