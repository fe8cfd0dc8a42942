#include "actors/operations/realm_ledger.hpp"

#include "actors/policy/realm_store_rules.hpp"

#include <algorithm>

namespace weir::operations {

std::string realm_name(const realm_id& id) {
  return "realm/" + id.value;
}

std::string send_subject(std::string_view event_id, const room_id& room) {
  std::string subject{event_id};
  subject.append("/").append(room.value);
  return subject;
}

realm_ledger::realm_ledger(store& db, batch_context& batch,
                           const std::optional<realm_row>& found)
  : row{found.value_or(realm_row{})},
    db_{db},
    batch_{batch},
    before_{row} {
}

expected<void> realm_ledger::ensure(const realm_id& id,
                                    const std::string& account) {
  if (row.no == 0) {
    WEIR_TRY(row, db_.realms().rows.adopt(id, account));
    before_ = row;
  }
  row.account = account;
  row.deleted_at = {};
  return ok();
}

expected<void> realm_ledger::tell(const std::string& subject, send_outcome how,
                                  const std::string& detail) {
  return db_.outcomes().record({batch_.slot, ++batch_.pos, realm_name(row.id),
                                subject, std::string{to_string(how)}, detail, 1,
                                batch_.now});
}

expected<void> realm_ledger::accept(const realm_event_row& event,
                                    const realm_content_row& content) {
  WEIR_TRY(db_.realms().events.append(row.no, event, content));
  row.open_events += 1;
  row.unbound += 1;
  row.open_bytes += event.size;
  if (event.importance == realm_class::lossy)
    row.lossy_bytes += event.size;
  return ok();
}

expected<void> realm_ledger::merge(realm_event_row& into,
                                   const realm_content_row& content,
                                   uint64_t size,
                                   const realm_event_row& merged) {
  row.open_bytes += size - into.size;
  if (into.importance == realm_class::lossy)
    row.lossy_bytes += size - into.size;
  into.size = size;
  auto& events = db_.realms().events;
  WEIR_TRY(events.put_content(row.no, into.seq, content));
  WEIR_TRY(events.save(row.no, into));
  WEIR_TRY(events.append(row.no, merged));
  row.merged += 1;
  return tell(merged.event_id, send_outcome::merged, into.event_id);
}

void realm_ledger::leave_queue(const realm_event_row& event) {
  row.open_events -= 1;
  row.open_bytes -= event.size;
  if (event.importance == realm_class::lossy)
    row.lossy_bytes -= event.size;
  row.last_over = std::max(row.last_over, event.seq);
  left_.push_back({event.importance, event.size});
}

expected<void> realm_ledger::end_event(realm_event_row& event,
                                       send_outcome how) {
  WEIR_ASSERT(event.state == realm_event_state::queued);
  event.state = realm_event_state::over;
  event.how = how;
  event.over_at = batch_.now;
  row.unbound -= 1;
  if (how == send_outcome::dropped)
    row.dropped += 1;
  leave_queue(event);
  auto& events = db_.realms().events;
  WEIR_TRY(events.drop_content(row.no, event.seq));
  WEIR_TRY(events.save(row.no, event));
  return tell(event.event_id, how, {});
}

expected<uint64_t> realm_ledger::drop_lossy(uint64_t bytes, size_t events_max) {
  if (row.lossy_bytes < bytes)
    return uint64_t{0};
  WEIR_TRY(auto rows, db_.realms().events.lossy(row.no, events_max));
  size_t count = 0;
  uint64_t freed = 0;
  while (count < rows.size() && freed < bytes)
    freed += rows[count++].size;
  if (freed < bytes)
    return uint64_t{0};
  for (size_t i = 0; i < count; ++i) {
    WEIR_TRY(end_event(rows[i], send_outcome::dropped));
  }
  return uint64_t{count};
}

expected<void> realm_ledger::note_end(const realm_event_row& event,
                                      const room_id& room, send_outcome how) {
  return tell(send_subject(event.event_id, room), how, {});
}

expected<void> realm_ledger::end_send(realm_event_row& event,
                                      realm_send_row& send, send_outcome how) {
  WEIR_ASSERT(send.outcome == send_outcome::none && event.unsettled > 0);
  send.outcome = how;
  send.over_at = batch_.now;
  WEIR_TRY(db_.realms().sends.save(row.no, send));
  event.unsettled -= 1;
  row.unsettled -= 1;
  if (how == send_outcome::delivered) {
    event.delivered += 1;
    row.delivered += 1;
  }
  if (policy::is_dead_letter(how)) {
    event.failed += 1;
    row.dead_letters += 1;
  }
  // What it was before matters only when the outcome leaves it so.
  const auto end = policy::end_of(how, send.may_be_stored);
  const bool if_open = policy::is_left_open(true, event.importance, end);
  const bool if_not = policy::is_left_open(false, event.importance, end);
  if (if_open == if_not) {
    WEIR_TRY(db_.realms().rows.leave_open(row.no, send.room, if_open));
  }
  return tell(send_subject(event.event_id, send.room), how,
              how == send_outcome::delivered ? send.remote_id : send.cause);
}

expected<bool> realm_ledger::keep(realm_event_row& event) {
  auto& events = db_.realms().events;
  const bool is_over
    = event.state == realm_event_state::bound && event.unsettled == 0;
  if (is_over) {
    event.state = realm_event_state::over;
    event.over_at = batch_.now;
    leave_queue(event);
    if (event.failed == 0) {
      WEIR_TRY(events.drop_content(row.no, event.seq));
    }
  }
  WEIR_TRY(events.save(row.no, event));
  return is_over;
}

expected<void> realm_ledger::save() {
  if (row == before_)
    return ok();
  const auto grown = static_cast<int64_t>(row.open_bytes - before_.open_bytes);
  WEIR_TRY(db_.realms().rows.save(row));
  before_ = row;
  if (grown == 0)
    return ok();
  return db_.realms().rows.count_bytes(batch_.slot, grown);
}

realm_news realm_ledger::news() const {
  return {row.unbound, row.unsettled, row.binding != 0, row.halted.has_value(),
          left_};
}

} // namespace weir::operations
