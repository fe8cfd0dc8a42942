#include "persistence/sql/realm_sends.hpp"

#include "persistence/sql/realm_columns.hpp"

namespace weir::sql {

namespace {

std::string select(std::string_view which) {
  return "SELECT " + std::string{realm_send_columns}
  + " FROM realm_send WHERE realm = :realm AND seq = :seq "
    + std::string{which};
}

std::string append_text(const dialect& speaks) {
  const std::string into = "INSERT INTO realm_send (realm, "
    + std::string{realm_send_columns} + ") ";
  if (!speaks.postgresql)
    return into
      + "VALUES (:realm, :seq, :room, :version, :class, :bound_at, :txn, "
        ":generation, :attempts, :tries, :may_be_stored, :cause, "
        ":not_before, :outcome, :remote_id, :over_at)";
  return into
    + "SELECT CAST(:realm AS BIGINT), given.seq, given.room, given.version, "
      "given.class, given.bound_at, given.txn, given.generation, 0, 0, 0, '', "
      "0, given.outcome, '', given.over_at FROM unnest("
      "CAST(:seq AS BIGINT[]), CAST(:room AS TEXT[]), "
      "CAST(:version AS BIGINT[]), CAST(:class AS BIGINT[]), "
      "CAST(:bound_at AS BIGINT[]), CAST(:txn AS TEXT[]), "
      "CAST(:generation AS BIGINT[]), CAST(:outcome AS BIGINT[]), "
      "CAST(:over_at AS BIGINT[])) AS given (seq, room, version, class, "
      "bound_at, txn, generation, outcome, over_at)";
}

/// From room to room by the index of lanes, not through what waits in them.
const std::string_view lanes_text
  = "WITH RECURSIVE lane (room, nth) AS (SELECT "
    "(SELECT min(s.room) FROM realm_send AS s WHERE s.realm = :realm "
    "AND s.outcome = 0 AND s.room > :after), CAST(1 AS BIGINT) "
    "UNION ALL SELECT "
    "(SELECT min(s.room) FROM realm_send AS s WHERE s.realm = :realm "
    "AND s.outcome = 0 AND s.room > lane.room), lane.nth + 1 "
    "FROM lane WHERE lane.room IS NOT NULL AND lane.nth < :rows_max) "
    "SELECT lane.room, (SELECT min(s.seq) FROM realm_send AS s "
    "WHERE s.realm = :realm AND s.outcome = 0 AND s.room = lane.room), "
    "CASE WHEN EXISTS (SELECT 1 FROM realm_send AS s WHERE s.realm = :realm "
    "AND s.outcome = 0 AND s.room = lane.room ORDER BY s.seq LIMIT 1 "
    "OFFSET 1) THEN 1 ELSE 0 END "
    "FROM lane WHERE lane.room IS NOT NULL ORDER BY lane.room "
    "LIMIT :rows_max";

realm_lane_row read_lane(statement& from) {
  return {{from.text(0)}, from.count(1), from.number(2) != 0};
}

expected<bool> any(statement& ran) {
  WEIR_TRY(const auto found, ran.next());
  ran.done();
  return found;
}

} // namespace

realm_sends::realm_sends(connection& on)
  : speaks_{on.speaks()},
    append_{on, "append sends", append_text(speaks_)},
    save_{on, "save send",
          "UPDATE realm_send SET bound_at = :bound_at, txn = :txn, "
          "generation = :generation, attempts = :attempts, tries = :tries, "
          "may_be_stored = :may_be_stored, cause = :cause, "
          "not_before = :not_before, outcome = :outcome, "
          "remote_id = :remote_id, over_at = :over_at "
          "WHERE realm = :realm AND seq = :seq AND room = :room"},
    read_{on, "send", select("AND room = :room"), realm_send_types},
    lane_{on, "lane",
          "SELECT seq FROM realm_send WHERE realm = :realm AND room = :room "
          "AND outcome = 0 ORDER BY seq LIMIT 2",
          "i"},
    lanes_{on, "lanes", std::string{lanes_text}, "tii"},
    progress_{on, "open progress",
              "SELECT 1 FROM realm_send WHERE realm = :realm AND room = :room "
              "AND outcome = 0 AND class = 1 LIMIT 1",
              "i"},
    free_{on, "free room",
          "SELECT 1 FROM realm_room AS r WHERE r.realm = :realm "
          "AND r.added_in <= :version AND (r.removed_in = 0 "
          "OR r.removed_in > :version) AND NOT EXISTS (SELECT 1 "
          "FROM realm_send AS s WHERE s.realm = :realm AND s.room = r.room "
          "AND s.outcome = 0) LIMIT 1",
          "i"},
    all_{on, "sends of an event",
         select("AND room > :after ORDER BY room LIMIT :rows_max"),
         realm_send_types},
    unsettled_{on, "sends without an outcome",
               select("AND room > :after AND outcome = 0 ORDER BY room "
                      "LIMIT :rows_max"),
               realm_send_types},
    remove_{on, "remove sends",
            "DELETE FROM realm_send WHERE realm = :realm AND seq = :seq "
            "AND room IN (SELECT room FROM realm_send WHERE realm = :realm "
            "AND seq = :seq LIMIT :rows_max)"} {
}

expected<void> realm_sends::append(realm_no realm,
                                   std::span<const realm_send_row> rows) {
  if (rows.empty())
    return ok();
  if (speaks_.postgresql)
    return append_at_once(realm, rows);
  for (const auto& row : rows) {
    WEIR_TRY(append_.run(realm, row.seq, row.room.value, row.version,
                         static_cast<int64_t>(row.importance), row.bound_at,
                         row.txn, row.generation, 0, 0, 0, std::string{}, 0,
                         static_cast<int64_t>(row.outcome), std::string{},
                         row.over_at));
  }
  return ok();
}

expected<void>
realm_sends::append_at_once(realm_no realm,
                            std::span<const realm_send_row> rows) {
  array_literal seq, room, version, importance, bound_at, txn, generation,
    outcome, over_at;
  for (const auto& row : rows) {
    seq.add(as_count(row.seq));
    room.add_text(row.room.value);
    version.add(as_count(row.version));
    importance.add(static_cast<int64_t>(row.importance));
    bound_at.add(row.bound_at.ms);
    txn.add_text(row.txn);
    generation.add(row.generation);
    outcome.add(static_cast<int64_t>(row.outcome));
    over_at.add(row.over_at.ms);
  }
  return append_.run(realm, seq.close(), room.close(), version.close(),
                     importance.close(), bound_at.close(), txn.close(),
                     generation.close(), outcome.close(), over_at.close());
}

expected<void> realm_sends::save(realm_no realm, const realm_send_row& row) {
  WEIR_TRY(save_.run(row.bound_at, row.txn, row.generation, row.attempts,
                     row.tries, row.may_be_stored, row.cause, row.not_before,
                     static_cast<int64_t>(row.outcome), row.remote_id,
                     row.over_at, realm, row.seq, row.room.value));
  if (save_.changed() != 1)
    return fail(ec::rejected, "save send: no such row");
  return ok();
}

expected<std::optional<realm_send_row>>
realm_sends::read(realm_no realm, uint64_t seq, const room_id& room) {
  WEIR_TRY(read_.run(realm, as_count(seq), room.value));
  return read_first(read_, read_realm_send);
}

expected<std::optional<realm_lane_row>> realm_sends::lane(realm_no realm,
                                                          const room_id& room) {
  WEIR_TRY(lane_.run(realm, room.value));
  WEIR_TRY(auto first, lane_.next());
  if (!first)
    return std::optional<realm_lane_row>{};
  realm_lane_row head{room, lane_.count(0), false};
  WEIR_TRY(head.has_more, lane_.next());
  lane_.done();
  return std::optional{std::move(head)};
}

expected<std::vector<realm_lane_row>>
realm_sends::lanes(realm_no realm, const std::string& after, size_t rows_max) {
  WEIR_TRY(lanes_.run(realm, after, as_count(rows_max)));
  return read_all(lanes_, read_lane);
}

expected<bool> realm_sends::has_open_progress(realm_no realm,
                                              const room_id& room) {
  WEIR_TRY(progress_.run(realm, room.value));
  return any(progress_);
}

expected<bool> realm_sends::has_free_room(realm_no realm, uint64_t version) {
  WEIR_TRY(free_.run(realm, as_count(version)));
  return any(free_);
}

expected<std::vector<realm_send_row>>
realm_sends::of_event(realm_no realm, uint64_t seq, bool unsettled,
                      const std::string& after, size_t rows_max) {
  auto& listing = unsettled ? unsettled_ : all_;
  WEIR_TRY(listing.run(realm, as_count(seq), after, as_count(rows_max)));
  return read_all(listing, read_realm_send);
}

expected<uint64_t> realm_sends::remove(realm_no realm, uint64_t seq,
                                       size_t rows_max) {
  WEIR_TRY(remove_.run(realm, as_count(seq), as_count(rows_max)));
  return remove_.changed();
}

} // namespace weir::sql
