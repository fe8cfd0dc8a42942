#include "persistence/sql/keep.hpp"

#include "persistence/letter_digest.hpp"
#include "persistence/sql/letter_columns.hpp"
#include "schema/hash.hpp"

namespace weir::sql {

namespace {

/// The integer in the first column of the only row, if there is one.
expected<std::optional<int64_t>> only_number(statement& from) {
  WEIR_TRY(auto found, from.next());
  std::optional<int64_t> number;
  if (found)
    number = from.number(0);
  from.done();
  return number;
}

expected<int64_t> required_number(statement& from) {
  WEIR_TRY(auto number, only_number(from));
  if (!number)
    return fail(ec::rejected, "keep: the statement gave no row");
  return *number;
}

/// The next rows of an appservice in `table`, by the sum of their sizes: bytes
/// are read, or deleted, only of those, since one row may be as large as a
/// whole page may be.
std::string next_text(const std::string& table, const std::string& columns) {
  return "SELECT " + columns
    + " FROM (SELECT id, size, sum(size) OVER (ORDER BY id) - size AS before "
      "FROM (SELECT id, size FROM "
    + table
    + " WHERE appservice = :appservice AND id > :after AND id <= :until "
      "ORDER BY id LIMIT :rows_max) AS page) AS summed "
      "WHERE before <= CAST(:bytes_max AS BIGINT)";
}

std::string letters_text() {
  return "SELECT " + std::string{letter_columns}
  + ", bytes FROM dead_letter WHERE id IN (" + next_text("dead_letter", "id")
    + ") ORDER BY id";
}

std::string last_text(const std::string& table) {
  return "SELECT coalesce(max(id), 0) FROM " + table
    + " WHERE appservice = :appservice";
}

/// `:id` is one id, or on PostgreSQL a list of them.
std::string remove_text(const dialect& speaks, const std::string& table) {
  return "DELETE FROM " + table + " WHERE appservice = :appservice AND id = "
    + (speaks.postgresql ? "ANY (CAST(:id AS BIGINT[]))" : ":id");
}

/// A row that goes with a removed appservice is not one of who came after it
/// under the same id.
std::string not_going(const std::string& table, const std::string& last) {
  return " AND NOT EXISTS (SELECT 1 FROM removal AS r WHERE r.appservice = "
    + table + ".appservice AND r.done = 0 AND " + table + ".id <= r." + last
    + ")";
}

/// Makes place for a row of the same hash that stays.
std::string replace_text(const std::string& table) {
  return "DELETE FROM " + table
    + " WHERE appservice = :appservice AND sha256 = :sha256";
}

} // namespace

keep::keep(connection& on)
  : speaks_{on.speaks()},
    find_letter_{on, "find dead letter",
                 "SELECT id FROM dead_letter WHERE appservice = :appservice "
                 "AND sha256 = :sha256"
                   + not_going("dead_letter", "last_letter"),
                 "i"},
    replace_letter_{on, "replace letter", replace_text("dead_letter")},
    bury_{on, "bury",
          "INSERT INTO dead_letter (appservice, sha256, size, seq, lane, "
          "id_hash, attempts, accepted_at, buried_at, reason, keys, event_id, "
          "bytes) VALUES (:appservice, :sha256, :size, :seq, :lane, :id_hash, "
          ":attempts, :accepted_at, "
          ":buried_at, :reason, :keys, "
            + on.speaks().bytes(":event_id") + ", :bytes) RETURNING id",
          "i"},
    letters_{on, "read letters", letters_text(),
             std::string{letter_types} + "t"},
    last_letter_{on, "last letter", last_text("dead_letter"), "i"},
    remove_letters_{on, "remove letters", remove_text(speaks_, "dead_letter")},
    count_again_{on, "count quarantined",
                 "UPDATE quarantine SET times = times + 1, last_at = :last_at "
                 "WHERE appservice = :appservice AND sha256 = :sha256"
                   + not_going("quarantine", "last_body") + " RETURNING id",
                 "i"},
    replace_body_{on, "replace quarantined", replace_text("quarantine")},
    quarantine_{on, "quarantine",
                "INSERT INTO quarantine (appservice, sha256, size, times, "
                "first_at, last_at, reason, hs_txn_id, body) VALUES ("
                ":appservice, :sha256, :size, :times, :first_at, "
                ":last_at, :reason, "
                  + on.speaks().bytes(":hs_txn_id") + ", "
                  + on.speaks().bytes(":body") + ") RETURNING id",
                "i"},
    next_quarantined_{on, "next quarantined",
                      next_text("quarantine", "id, size") + " ORDER BY id",
                      "ii"},
    last_quarantined_{on, "last quarantined", last_text("quarantine"), "i"},
    remove_quarantined_{on, "remove quarantined",
                        remove_text(speaks_, "quarantine")},
    letter_bytes_{on, "dead letter bytes",
                  "SELECT bytes FROM kept_bytes WHERE kind = 'dead_letter'",
                  "i"},
    quarantine_bytes_{on, "quarantine bytes",
                      "SELECT bytes FROM kept_bytes WHERE kind = 'quarantine'",
                      "i"},
    held_by_{on, "held by appservice",
             "SELECT coalesce(sum(CASE kind WHEN 'dead_letter' THEN bytes ELSE "
             "0 END), 0), coalesce(sum(CASE kind WHEN 'quarantine' THEN bytes "
             "ELSE 0 END), 0) FROM kept_of WHERE appservice = :appservice",
             "ii"} {
}

expected<int64_t> keep::bury(const dead_letter_row& row) {
  const auto sha256 = letter_digest(row);
  WEIR_TRY(find_letter_.run(row.appservice.value, sha256));
  WEIR_TRY(auto known, only_number(find_letter_));
  if (known)
    return *known;
  WEIR_TRY(replace_letter_.run(row.appservice.value, sha256));
  WEIR_TRY(bury_.run(row.appservice.value, sha256, row.item.bytes.size(),
                     row.seq, static_cast<int64_t>(row.item.kind),
                     row.item.id_hash, row.attempts, row.accepted_at,
                     row.buried_at, row.reason, row.item.keys,
                     raw_bytes{row.item.event_id}, row.item.bytes));
  return required_number(bury_);
}

expected<std::vector<dead_letter_row>>
keep::read_letters(const appservice_id& of, int64_t after, int64_t until,
                   size_t rows_max, size_t bytes_max) {
  WEIR_TRY(letters_.run(of.value, after, until, as_count(rows_max),
                        as_count(bytes_max)));
  std::vector<dead_letter_row> rows;
  while (true) {
    WEIR_TRY(auto found, letters_.next());
    if (!found)
      return rows;
    rows.push_back(read_letter(letters_));
    rows.back().item.bytes = letters_.text(letter_types.size());
  }
}

expected<int64_t> keep::last_letter(const appservice_id& of) {
  WEIR_TRY(last_letter_.run(of.value));
  return required_number(last_letter_);
}

expected<uint64_t> keep::remove(statement& by, const appservice_id& of,
                                std::span<const int64_t> ids) const {
  if (speaks_.postgresql) {
    array_literal wanted;
    for (const auto each : ids)
      wanted.add(each);
    WEIR_TRY(by.run(of.value, wanted.close()));
    return by.changed();
  }
  uint64_t removed = 0;
  for (const auto each : ids) {
    WEIR_TRY(by.run(of.value, each));
    removed += by.changed();
  }
  return removed;
}

expected<uint64_t> keep::remove_letters(const appservice_id& of,
                                        std::span<const int64_t> ids) {
  return remove(remove_letters_, of, ids);
}

expected<std::vector<keep_store::kept_size>>
keep::next_quarantined(const appservice_id& of, int64_t after, int64_t until,
                       size_t rows_max, size_t bytes_max) {
  WEIR_TRY(next_quarantined_.run(of.value, after, until, as_count(rows_max),
                                 as_count(bytes_max)));
  std::vector<kept_size> rows;
  while (true) {
    WEIR_TRY(auto found, next_quarantined_.next());
    if (!found)
      return rows;
    rows.push_back({next_quarantined_.number(0), next_quarantined_.count(1)});
  }
}

expected<int64_t> keep::last_quarantined(const appservice_id& of) {
  WEIR_TRY(last_quarantined_.run(of.value));
  return required_number(last_quarantined_);
}

expected<uint64_t> keep::remove_quarantined(const appservice_id& of,
                                            std::span<const int64_t> ids) {
  return remove(remove_quarantined_, of, ids);
}

expected<std::optional<int64_t>> keep::count_again(const quarantine_row& row,
                                                   const std::string& sha256) {
  WEIR_TRY(count_again_.run(row.last_at, row.appservice.value, sha256));
  return only_number(count_again_);
}

expected<bool> keep::count_quarantined(const quarantine_row& row) {
  WEIR_TRY(auto known, count_again(row, sha256_hex(row.body)));
  return known.has_value();
}

expected<int64_t> keep::quarantine(const quarantine_row& row) {
  const auto sha256 = sha256_hex(row.body);
  WEIR_TRY(auto known, count_again(row, sha256));
  if (known)
    return *known;
  WEIR_TRY(replace_body_.run(row.appservice.value, sha256));
  WEIR_TRY(quarantine_.run(row.appservice.value, sha256, row.body.size(),
                           row.times, row.first_at, row.last_at, row.reason,
                           raw_bytes{row.hs_txn_id}, raw_bytes{row.body}));
  return required_number(quarantine_);
}

expected<uint64_t> keep::dead_letter_bytes() {
  WEIR_TRY(letter_bytes_.run());
  WEIR_TRY(auto bytes, required_number(letter_bytes_));
  return static_cast<uint64_t>(bytes);
}

expected<uint64_t> keep::quarantine_bytes() {
  WEIR_TRY(quarantine_bytes_.run());
  WEIR_TRY(auto bytes, required_number(quarantine_bytes_));
  return static_cast<uint64_t>(bytes);
}

expected<keep_store::kept_bytes> keep::held_by(const appservice_id& of) {
  WEIR_TRY(held_by_.run(of.value));
  WEIR_TRY(auto found, held_by_.next());
  if (!found)
    return kept_bytes{};
  kept_bytes held{held_by_.count(0), held_by_.count(1)};
  held_by_.done();
  return held;
}

} // namespace weir::sql
