#pragma once

#include "persistence/realm_rows.hpp"
#include "persistence/sql/statement.hpp"
#include "schema/error.hpp"

#include <optional>
#include <string_view>
#include <vector>

/// How rows of realms are read, for either side. Each reader takes the row to
/// which the statement stepped, whose columns are those named here.
namespace weir::sql {

inline constexpr std::string_view realm_columns
  = "no, id, account, next_seq, audience_version, audience, staged, "
    "stage_mark, open_events, unbound, open_bytes, lossy_bytes, "
    "unsettled, binding, cancelled_upto, dead_letters, last_over, "
    "delivered, merged, dropped, halted_at, halted_by, halt_reason, "
    "deleted_at";
inline constexpr std::string_view realm_types = "ittiiiitiiiiiiiiiiiiitti";
realm_row read_realm(statement& from);

inline constexpr std::string_view realm_event_columns
  = "seq, event_id, key, part, parts, request, type, class, mode, "
    "rule_key, fields, size, own_rooms, accepted_at, expires_at, state, "
    "how, audience_version, bound_at, bound_after, targets, written, "
    "unsettled, delivered, failed, over_at, merged_into";
inline constexpr std::string_view realm_event_types
  = "ittiittiittiiiiiiiitiiiiiit";
/// Errors: `ec::corrupt` when its rule cannot be read.
expected<realm_event_row> read_realm_event(statement& from);

inline constexpr std::string_view realm_send_columns
  = "seq, room, version, class, bound_at, txn, generation, attempts, "
    "tries, may_be_stored, cause, not_before, outcome, remote_id, over_at";
inline constexpr std::string_view realm_send_types = "itiiitiiiitiiti";
realm_send_row read_realm_send(statement& from);

inline constexpr std::string_view realm_room_columns
  = "room, added_in, removed_in, suspended_at";
inline constexpr std::string_view realm_room_types = "tiii";
realm_room_row read_realm_room(statement& from);

inline constexpr std::string_view account_columns
  = "id, not_before, paused_by, held_at, held_cause, device";
inline constexpr std::string_view account_types = "tiiitt";
account_row read_account(statement& from);

/// Subscriptions that hold in a version.
extern const std::string_view audience_text;

/// All rows of a statement that has run, by a reader that cannot fail.
template <class Read>
auto read_all(statement& from, Read read)
  -> expected<std::vector<decltype(read(from))>> {
  std::vector<decltype(read(from))> rows;
  while (true) {
    WEIR_TRY(const auto found, from.next());
    if (!found)
      return rows;
    rows.push_back(read(from));
  }
}

/// Its first row, if there is one.
template <class Read>
auto read_first(statement& from, Read read)
  -> expected<std::optional<decltype(read(from))>> {
  WEIR_TRY(const auto found, from.next());
  std::optional<decltype(read(from))> row;
  if (found)
    row = read(from);
  from.done();
  return row;
}

/// The same of events.
expected<std::vector<realm_event_row>> read_realm_events(statement& from);
expected<std::optional<realm_event_row>>
read_first_realm_event(statement& from);

} // namespace weir::sql
