#include "persistence/sql/inbox.hpp"

#include "persistence/sql/retention.hpp"
#include "schema/limits.hpp"

#include <algorithm>

namespace weir::sql {

namespace {

std::string remember_text(const dialect& speaks) {
  return "INSERT INTO inbound_transaction (appservice, hs_txn_id, generation, "
         "at, event_hashes, non_event_hashes, arrival) VALUES (:appservice, "
    + speaks.bytes(":hs_txn_id") + ", :generation, :at, "
    + speaks.bytes(":event_hashes") + ", " + speaks.bytes(":non_event_hashes")
    + ", (SELECT coalesce(max(arrival), 0) + 1 FROM inbound_transaction "
      "WHERE appservice = :appservice)) "
      "ON CONFLICT (appservice, hs_txn_id, generation) DO UPDATE SET "
      "arrival = excluded.arrival, at = excluded.at, "
      "event_hashes = excluded.event_hashes, "
      "non_event_hashes = excluded.non_event_hashes";
}

} // namespace

inbox::inbox(connection& on)
  : speaks_{on.speaks()},
    find_{on, "find inbound",
          "SELECT generation, at, event_hashes, non_event_hashes "
          "FROM inbound_transaction WHERE appservice = :appservice "
          "AND hs_txn_id = "
            + speaks_.bytes(":hs_txn_id")
            + " ORDER BY generation DESC LIMIT :max",
          "iibb"},
    remember_{on, "remember inbound", remember_text(speaks_)},
    ends_{on, "inbound ends",
          "SELECT (SELECT min(arrival) FROM inbound_transaction "
          "WHERE appservice = :appservice), (SELECT max(arrival) "
          "FROM inbound_transaction WHERE appservice = :appservice)",
          "ii"},
    count_{on, "count inbound",
           "SELECT count(*) FROM inbound_transaction "
           "WHERE appservice = :appservice",
           "i"},
    oldest_{on, "oldest inbound",
            "SELECT arrival, at FROM inbound_transaction "
            "WHERE appservice = :appservice ORDER BY arrival LIMIT :max",
            "ii"},
    remove_{on, "forget inbound",
            "DELETE FROM inbound_transaction "
            "WHERE appservice = :appservice AND arrival <= :last"},
    seen_{on} {
}

expected<std::vector<inbound_row>>
inbox::find_inbound(queue_no queue, std::string_view hs_txn_id) {
  WEIR_TRY(find_.run(queue, raw_bytes{hs_txn_id},
                     as_count(limits::inbound_generations_max)));
  std::vector<inbound_row> rows;
  while (true) {
    WEIR_TRY(auto found, find_.next());
    if (!found)
      break;
    inbound_row row;
    row.hs_txn_id = hs_txn_id;
    row.generation = static_cast<uint32_t>(find_.number(0));
    row.at = find_.when(1);
    row.event_hashes = unpack_words(find_.text(2));
    row.non_event_hashes = unpack_words(find_.text(3));
    rows.push_back(std::move(row));
  }
  std::reverse(rows.begin(), rows.end());
  return rows;
}

expected<void> inbox::remember_inbound(queue_no queue, const inbound_row& row) {
  return remember_.run(queue, raw_bytes{row.hs_txn_id}, row.generation, row.at,
                       raw_bytes{pack_words(row.event_hashes)},
                       raw_bytes{pack_words(row.non_event_hashes)});
}

expected<std::vector<uint64_t>>
inbox::find_seen(queue_no queue, std::span<const uint64_t> hashes) {
  return seen_.find(queue, hashes);
}

expected<void> inbox::remember_seen(queue_no queue,
                                    std::span<const uint64_t> hashes,
                                    stored_time now) {
  return seen_.remember(queue, hashes, now);
}

expected<uint64_t> inbox::excess(queue_no queue, size_t keep_max) {
  WEIR_TRY(ends_.run(queue));
  WEIR_TRY(auto found, ends_.next());
  // Gaps make this an upper bound, which mostly spares the count.
  const uint64_t at_most
    = !found || ends_.null(0) ? 0 : ends_.count(1) - ends_.count(0) + 1;
  ends_.done();
  if (at_most <= keep_max)
    return uint64_t{0};
  WEIR_TRY(count_.run(queue));
  WEIR_TRY(found, count_.next());
  const uint64_t rows = found ? count_.count(0) : 0;
  count_.done();
  return rows > keep_max ? rows - keep_max : uint64_t{0};
}

expected<uint64_t> inbox::forget_inbound(queue_no queue, stored_time before,
                                         size_t keep_max, size_t rows_max) {
  WEIR_TRY(const auto too_many, excess(queue, keep_max));
  WEIR_TRY(oldest_.run(queue, as_count(rows_max)));
  WEIR_TRY(const auto last, last_to_forget(oldest_, too_many, before));
  if (!last)
    return uint64_t{0};
  WEIR_TRY(remove_.run(queue, *last));
  return remove_.changed();
}

expected<uint64_t> inbox::forget(queue_no queue, stored_time before,
                                 size_t inbound_max, size_t seen_max,
                                 size_t rows_max) {
  WEIR_TRY(const auto inbound,
           forget_inbound(queue, before, inbound_max, rows_max));
  WEIR_TRY(const auto seen, seen_.forget(queue, before, seen_max, rows_max));
  return inbound + seen;
}

} // namespace weir::sql
