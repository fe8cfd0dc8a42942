#include "persistence/sql/keep.hpp"

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

} // namespace

keep::keep(connection& on)
  : find_letter_{on, "find dead letter",
                 "SELECT id FROM dead_letter WHERE appservice = :appservice "
                 "AND sha256 = :sha256",
                 "i"},
    bury_{on, "bury",
          "INSERT INTO dead_letter (appservice, sha256, size, seq, lane, "
          "id_hash, attempts, accepted_at, buried_at, reason, keys, event_id, "
          "bytes) VALUES (:appservice, :sha256, :size, :seq, :lane, :id_hash, "
          ":attempts, :accepted_at, "
          ":buried_at, :reason, :keys, "
            + on.speaks().bytes(":event_id") + ", :bytes) RETURNING id",
          "i"},
    count_again_{
      on, "count quarantined",
      "UPDATE quarantine SET times = times + 1, last_at = :last_at "
      "WHERE appservice = :appservice AND sha256 = :sha256 RETURNING id",
      "i"},
    quarantine_{on, "quarantine",
                "INSERT INTO quarantine (appservice, sha256, size, times, "
                "first_at, last_at, reason, hs_txn_id, body) VALUES ("
                ":appservice, :sha256, :size, :times, :first_at, "
                ":last_at, :reason, "
                  + on.speaks().bytes(":hs_txn_id") + ", "
                  + on.speaks().bytes(":body") + ") RETURNING id",
                "i"},
    letter_bytes_{on, "dead letter bytes",
                  "SELECT bytes FROM kept_bytes WHERE kind = 'dead_letter'",
                  "i"},
    quarantine_bytes_{on, "quarantine bytes",
                      "SELECT bytes FROM kept_bytes WHERE kind = 'quarantine'",
                      "i"} {
}

expected<int64_t> keep::bury(const dead_letter_row& row) {
  const auto sha256 = sha256_hex(row.item.bytes);
  WEIR_TRY(find_letter_.run(row.appservice.value, sha256));
  WEIR_TRY(auto known, only_number(find_letter_));
  if (known)
    return *known;
  WEIR_TRY(bury_.run(row.appservice.value, sha256, row.item.bytes.size(),
                     row.seq, static_cast<int64_t>(row.item.kind),
                     row.item.id_hash, row.attempts, row.accepted_at,
                     row.buried_at, row.reason, row.item.keys,
                     raw_bytes{row.item.event_id}, row.item.bytes));
  return required_number(bury_);
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

} // namespace weir::sql
