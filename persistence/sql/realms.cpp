#include "persistence/sql/realms.hpp"

#include "persistence/sql/realm_columns.hpp"

#include <utility>

namespace weir::sql {

namespace {

std::string select(std::string_view columns, std::string_view from) {
  return "SELECT " + std::string{columns} + " FROM " + std::string{from};
}

std::string subscribe_text(const dialect& speaks) {
  const std::string into
    = "INSERT INTO realm_room (realm, room, added_in, removed_in, "
      "suspended_at) ";
  if (!speaks.postgresql)
    return into + "VALUES (:realm, :room, :added_in, 0, 0)";
  return into
    + "SELECT CAST(:realm AS BIGINT), given.room, CAST(:added_in AS BIGINT), "
      "0, 0 FROM unnest(CAST(:rooms AS TEXT[])) AS given (room)";
}

std::string unsubscribe_text(const dialect& speaks) {
  const std::string head
    = "UPDATE realm_room SET removed_in = :removed_in WHERE realm = :realm "
      "AND removed_in = 0 AND added_in < :removed_in AND ";
  if (!speaks.postgresql)
    return head + "room = :room";
  return head + "room = ANY (CAST(:rooms AS TEXT[]))";
}

const std::string_view save_text
  = "UPDATE realm SET account = :account, next_seq = :next_seq, "
    "audience_version = :version, audience = :audience, staged = :staged, "
    "stage_mark = :stage_mark, open_events = :open_events, "
    "unbound = :unbound, open_bytes = :open_bytes, "
    "lossy_bytes = :lossy_bytes, unsettled = :unsettled, "
    "binding = :binding, cancelled_upto = :cancelled_upto, "
    "dead_letters = :dead_letters, last_over = :last_over, "
    "delivered = :delivered, merged = :merged, dropped = :dropped, "
    "halted_at = :halted_at, halted_by = :halted_by, "
    "halt_reason = :halt_reason, deleted_at = :deleted_at, "
    "has_work = :has_work WHERE no = :no";

bool is_found(statement& ran, bool found) {
  ran.done();
  return found;
}

} // namespace

realms::realms(connection& on)
  : speaks_{on.speaks()},
    lock_{on, "lock realm",
          select(realm_columns, "realm WHERE id = :id")
            + std::string{speaks_.for_update()},
          realm_types},
    adopt_{on, "adopt realm",
           "INSERT INTO realm (id, account, next_seq, audience_version, "
           "audience, staged, stage_mark, open_events, unbound, open_bytes, "
           "lossy_bytes, unsettled, binding, cancelled_upto, dead_letters, "
           "last_over, delivered, merged, dropped, halted_at, halted_by, "
           "halt_reason, deleted_at, has_work) "
           "VALUES (:id, :account, 1, 0, 0, 0, '', 0, 0, 0, 0, 0, 0, 0, 0, 0, "
           "0, 0, 0, 0, '', '', 0, 0) ON CONFLICT (id) DO NOTHING"},
    save_{on, "save realm", std::string{save_text}},
    remove_{on, "remove realm", "DELETE FROM realm WHERE no = :no"},
    forget_open_{on, "remove open rooms",
                 "DELETE FROM realm_open WHERE realm = :realm"},
    list_{on, "list realms",
          select(realm_columns,
                 "realm WHERE no > :after ORDER BY no LIMIT :rows_max"),
          realm_types},
    list_working_{on, "list realms with work",
                  select(realm_columns,
                         "realm WHERE no > :after AND has_work = 1 "
                         "ORDER BY no LIMIT :rows_max"),
                  realm_types},
    count_bytes_{on, "count realm bytes",
                 "INSERT INTO realm_bytes (slot, bytes) VALUES (:slot, :by) "
                 "ON CONFLICT (slot) DO UPDATE "
                 "SET bytes = realm_bytes.bytes + excluded.bytes"},
    queued_bytes_{on, "realm bytes",
                  "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) "
                  "FROM realm_bytes",
                  "i"},
    subscription_{on, "subscription",
                  select(realm_room_columns,
                         "realm_room WHERE realm = :realm AND room = :room "
                         "AND added_in <= :version AND (removed_in = 0 "
                         "OR removed_in > :version)"),
                  realm_room_types},
    audience_{on, "audience", std::string{audience_text}, realm_room_types},
    subscribe_{on, "subscribe", subscribe_text(speaks_)},
    unsubscribe_{on, "unsubscribe", unsubscribe_text(speaks_)},
    suspend_{on, "suspend subscription",
             "UPDATE realm_room SET suspended_at = :since "
             "WHERE realm = :realm AND room = :room AND added_in = :added_in"},
    unstage_added_{on, "unstage added",
                   "DELETE FROM realm_room WHERE realm = :realm "
                   "AND added_in = :version AND room IN (SELECT room FROM "
                   "realm_room WHERE realm = :realm AND added_in = :version "
                   "LIMIT :rows_max)"},
    unstage_removed_{on, "unstage removed",
                     "UPDATE realm_room SET removed_in = 0 "
                     "WHERE realm = :realm AND removed_in = :version "
                     "AND room IN (SELECT room FROM realm_room "
                     "WHERE realm = :realm AND removed_in = :version "
                     "AND removed_in > 0 LIMIT :rows_max)"},
    forget_rooms_{on, "forget subscriptions",
                  "DELETE FROM realm_room WHERE realm = :realm "
                  "AND (room, added_in) IN (SELECT room, added_in "
                  "FROM realm_room WHERE realm = :realm AND removed_in > 0 "
                  "AND removed_in <= :version LIMIT :rows_max)"},
    is_open_{on, "is left open",
             "SELECT 1 FROM realm_open WHERE realm = :realm AND room = :room",
             "i"},
    open_{on, "leave open",
          "INSERT INTO realm_open (realm, room) VALUES (:realm, :room) "
          "ON CONFLICT (realm, room) DO NOTHING"},
    close_{on, "close",
           "DELETE FROM realm_open WHERE realm = :realm AND room = :room"},
    any_open_{on, "any left open",
              "SELECT 1 FROM realm_open WHERE realm = :realm LIMIT 1", "i"},
    lock_account_{on, "lock account",
                  select(account_columns, "account WHERE id = :id")
                    + std::string{speaks_.for_update()},
                  account_types},
    save_account_{on, "save account",
                  "INSERT INTO account (id, not_before, paused_by, held_at, "
                  "held_cause, device) VALUES (:id, :not_before, :paused_by, "
                  ":held_at, :held_cause, :device) ON CONFLICT (id) DO UPDATE "
                  "SET not_before = excluded.not_before, "
                  "paused_by = excluded.paused_by, "
                  "held_at = excluded.held_at, "
                  "held_cause = excluded.held_cause, "
                  "device = excluded.device"} {
}

expected<std::optional<realm_row>> realms::lock(const realm_id& id) {
  WEIR_TRY(lock_.run(id.value));
  return read_first(lock_, read_realm);
}

expected<realm_row> realms::adopt(const realm_id& id,
                                  const std::string& account) {
  // Looked for first: a conflict would draw a number of the sequence for good.
  WEIR_TRY(auto row, lock(id));
  if (!row) {
    WEIR_TRY(adopt_.run(id.value, account));
    WEIR_TRY(row, lock(id));
  }
  if (!row)
    return fail(ec::rejected, "adopt realm: the row did not stay");
  return std::move(*row);
}

expected<void> realms::save(const realm_row& row) {
  const halt none;
  const auto& halted = row.halted ? *row.halted : none;
  WEIR_TRY(save_.run(row.account, row.next_seq, row.audience_version,
                     row.audience, row.staged, row.stage_mark, row.open_events,
                     row.unbound, row.open_bytes, row.lossy_bytes,
                     row.unsettled, row.binding, row.cancelled_upto,
                     row.dead_letters, row.last_over, row.delivered, row.merged,
                     row.dropped, halted.since, halted.by, halted.reason,
                     row.deleted_at, row.open_events > 0 ? 1 : 0, row.no));
  if (save_.changed() != 1)
    return fail(ec::rejected, "save realm: no such row");
  return ok();
}

expected<void> realms::remove(realm_no realm) {
  WEIR_TRY(forget_open_.run(realm));
  return remove_.run(realm);
}

expected<std::vector<realm_row>> realms::list(realm_no after, bool with_work,
                                              size_t rows_max) {
  auto& listing = with_work ? list_working_ : list_;
  WEIR_TRY(listing.run(after, as_count(rows_max)));
  return read_all(listing, read_realm);
}

expected<void> realms::count_bytes(uint32_t slot, int64_t by) {
  return count_bytes_.run(slot, by);
}

expected<uint64_t> realms::queued_bytes() {
  WEIR_TRY(queued_bytes_.run());
  WEIR_TRY(const auto bytes, read_first(queued_bytes_, [](statement& from) {
             return from.count(0);
           }));
  return bytes.value_or(0);
}

expected<std::optional<realm_room_row>>
realms::subscription(realm_no realm, const room_id& room, uint64_t version) {
  WEIR_TRY(subscription_.run(realm, room.value, as_count(version)));
  return read_first(subscription_, read_realm_room);
}

expected<std::vector<realm_room_row>> realms::audience(realm_no realm,
                                                       uint64_t version,
                                                       const std::string& after,
                                                       size_t rows_max) {
  WEIR_TRY(audience_.run(realm, after, as_count(version), as_count(rows_max)));
  return read_all(audience_, read_realm_room);
}

expected<void> realms::subscribe(realm_no realm, std::span<const room_id> rooms,
                                 uint64_t added_in) {
  if (rooms.empty())
    return ok();
  if (!speaks_.postgresql) {
    for (const auto& room : rooms) {
      WEIR_TRY(subscribe_.run(realm, room.value, added_in));
    }
    return ok();
  }
  array_literal ids;
  for (const auto& room : rooms)
    ids.add_text(room.value);
  return subscribe_.run(realm, added_in, ids.close());
}

expected<uint64_t> realms::unsubscribe(realm_no realm,
                                       std::span<const room_id> rooms,
                                       uint64_t removed_in) {
  if (speaks_.postgresql) {
    array_literal ids;
    for (const auto& room : rooms)
      ids.add_text(room.value);
    WEIR_TRY(unsubscribe_.run(removed_in, realm, ids.close()));
    return unsubscribe_.changed();
  }
  uint64_t ended = 0;
  for (const auto& room : rooms) {
    WEIR_TRY(unsubscribe_.run(removed_in, realm, room.value));
    ended += unsubscribe_.changed();
  }
  return ended;
}

expected<void> realms::suspend(realm_no realm, const room_id& room,
                               uint64_t added_in, stored_time since) {
  return suspend_.run(since, realm, room.value, added_in);
}

expected<uint64_t> realms::unstage(realm_no realm, uint64_t version,
                                   size_t rows_max) {
  WEIR_TRY(unstage_added_.run(realm, version, as_count(rows_max)));
  auto changed = unstage_added_.changed();
  if (changed < rows_max) {
    WEIR_TRY(
      unstage_removed_.run(realm, version, as_count(rows_max - changed)));
    changed += unstage_removed_.changed();
  }
  return changed;
}

expected<uint64_t> realms::forget_rooms(realm_no realm, uint64_t version,
                                        size_t rows_max) {
  WEIR_TRY(forget_rooms_.run(realm, as_count(version), as_count(rows_max)));
  return forget_rooms_.changed();
}

expected<bool> realms::is_left_open(realm_no realm, const room_id& room) {
  WEIR_TRY(is_open_.run(realm, room.value));
  WEIR_TRY(const auto found, is_open_.next());
  return is_found(is_open_, found);
}

expected<void> realms::leave_open(realm_no realm, const room_id& room,
                                  bool open) {
  return (open ? open_ : close_).run(realm, room.value);
}

expected<bool> realms::is_any_left_open(realm_no realm) {
  WEIR_TRY(any_open_.run(realm));
  WEIR_TRY(const auto found, any_open_.next());
  return is_found(any_open_, found);
}

expected<std::optional<account_row>>
realms::lock_account(const std::string& id) {
  WEIR_TRY(lock_account_.run(id));
  return read_first(lock_account_, read_account);
}

expected<void> realms::save_account(const account_row& row) {
  return save_account_.run(row.id, row.not_before,
                           static_cast<int64_t>(row.paused_by), row.held_at,
                           row.held_cause, row.device);
}

} // namespace weir::sql
