#include "persistence/sql/realm_columns.hpp"

#include "persistence/text_list.hpp"

#include <utility>

namespace weir::sql {

const std::string_view audience_text
  = "SELECT room, added_in, removed_in, suspended_at FROM realm_room "
    "WHERE realm = :realm AND room > :after AND added_in <= :version "
    "AND (removed_in = 0 OR removed_in > :version) "
    "ORDER BY room LIMIT :rows_max";

realm_row read_realm(statement& from) {
  realm_row row;
  row.no = from.number(0);
  row.id = {from.text(1)};
  row.account = from.text(2);
  row.next_seq = from.count(3);
  row.audience_version = from.count(4);
  row.audience = from.count(5);
  row.staged = from.count(6);
  row.stage_mark = from.text(7);
  row.open_events = from.count(8);
  row.unbound = from.count(9);
  row.open_bytes = from.count(10);
  row.lossy_bytes = from.count(11);
  row.unsettled = from.count(12);
  row.binding = from.count(13);
  row.cancelled_upto = from.count(14);
  row.dead_letters = from.count(15);
  row.last_over = from.count(16);
  row.delivered = from.count(17);
  row.merged = from.count(18);
  row.dropped = from.count(19);
  row.deleted_at = from.when(23);
  if (const auto since = from.when(20); since != stored_time{})
    row.halted = halt{since, from.text(21), from.text(22)};
  return row;
}

expected<realm_event_row> read_realm_event(statement& from) {
  realm_event_row row;
  row.seq = from.count(0);
  row.event_id = from.text(1);
  row.key = from.text(2);
  row.part = static_cast<uint32_t>(from.number(3));
  row.parts = static_cast<uint32_t>(from.number(4));
  row.request = from.text(5);
  row.type = from.text(6);
  row.importance = static_cast<realm_class>(from.number(7));
  row.rule.mode = static_cast<coalesce_mode>(from.number(8));
  row.rule.key = from.text(9);
  auto fields = unpack_texts(from.text(10));
  if (!fields)
    return fail(ec::corrupt, "realm event: an unreadable rule");
  row.rule.fields = std::move(*fields);
  row.size = from.count(11);
  row.own_rooms = from.number(12) != 0;
  row.accepted_at = from.when(13);
  row.expires_at = from.when(14);
  row.state = static_cast<realm_event_state>(from.number(15));
  row.how = static_cast<send_outcome>(from.number(16));
  row.audience_version = from.count(17);
  row.bound_at = from.when(18);
  row.bound_after = from.text(19);
  row.targets = from.count(20);
  row.written = from.count(21);
  row.unsettled = from.count(22);
  row.delivered = from.count(23);
  row.failed = from.count(24);
  row.over_at = from.when(25);
  row.merged_into = from.text(26);
  return row;
}

realm_send_row read_realm_send(statement& from) {
  realm_send_row row;
  row.seq = from.count(0);
  row.room = {from.text(1)};
  row.version = from.count(2);
  row.importance = static_cast<realm_class>(from.number(3));
  row.bound_at = from.when(4);
  row.txn = from.text(5);
  row.generation = static_cast<uint32_t>(from.number(6));
  row.attempts = static_cast<uint32_t>(from.number(7));
  row.tries = static_cast<uint32_t>(from.number(8));
  row.may_be_stored = from.number(9) != 0;
  row.cause = from.text(10);
  row.not_before = from.when(11);
  row.outcome = static_cast<send_outcome>(from.number(12));
  row.remote_id = from.text(13);
  row.over_at = from.when(14);
  return row;
}

realm_room_row read_realm_room(statement& from) {
  return {{from.text(0)}, from.count(1), from.count(2), from.when(3)};
}

account_row read_account(statement& from) {
  return {from.text(0), from.when(1), static_cast<pause_cause>(from.number(2)),
          from.when(3), from.text(4), from.text(5)};
}

expected<std::vector<realm_event_row>> read_realm_events(statement& from) {
  std::vector<realm_event_row> rows;
  while (true) {
    WEIR_TRY(const auto found, from.next());
    if (!found)
      return rows;
    WEIR_TRY(auto row, read_realm_event(from));
    rows.push_back(std::move(row));
  }
}

expected<std::optional<realm_event_row>>
read_first_realm_event(statement& from) {
  WEIR_TRY(const auto found, from.next());
  std::optional<realm_event_row> row;
  if (found) {
    WEIR_TRY(row, read_realm_event(from));
  }
  from.done();
  return row;
}

} // namespace weir::sql
