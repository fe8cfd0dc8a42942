#include "persistence/sql/inbox.hpp"

#include <algorithm>
#include <unordered_set>

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

std::string find_seen_text(const dialect& speaks) {
  return std::string{"SELECT hash FROM seen_event "
                     "WHERE appservice = :appservice AND hash = "}
  + (speaks.postgresql ? "ANY(CAST(:hashes AS BIGINT[]))" : ":hash");
}

std::string remember_seen_text(const dialect& speaks) {
  // Known events are left out before arrivals are given, so that arrivals have
  // no gaps and a window's size is the distance of its ends.
  if (!speaks.postgresql)
    return "INSERT INTO seen_event (appservice, hash, arrival, at) "
           "VALUES (:appservice, :hash, :arrival, :at) "
           "ON CONFLICT (appservice, hash) DO NOTHING";
  return "INSERT INTO seen_event (appservice, hash, arrival, at) "
         "SELECT CAST(:appservice AS BIGINT), hash, "
         "(SELECT coalesce(max(arrival), 0) FROM seen_event "
         "WHERE appservice = CAST(:appservice AS BIGINT)) "
         "+ row_number() OVER (ORDER BY place), CAST(:at AS BIGINT) "
         "FROM (SELECT hash, min(place) AS place "
         "FROM unnest(CAST(:hashes AS BIGINT[])) WITH ORDINALITY "
         "AS given (hash, place) WHERE NOT EXISTS (SELECT 1 FROM seen_event "
         "WHERE appservice = CAST(:appservice AS BIGINT) "
         "AND seen_event.hash = given.hash) GROUP BY hash) AS fresh";
}

/// The words of a column written by `pack_words`.
std::vector<uint64_t> unpack_words(std::string_view packed) {
  std::vector<uint64_t> words(packed.size() / 8, 0);
  for (size_t at = 0; at < words.size() * 8; ++at)
    words[at / 8] = words[at / 8] << 8 | static_cast<unsigned char>(packed[at]);
  return words;
}

std::string literal_of(std::span<const uint64_t> hashes) {
  array_literal literal;
  for (const auto hash : hashes)
    literal.add(signed_pattern(hash));
  return literal.close();
}

} // namespace

inbox::window::window(connection& on, const std::string& table)
  : ends{on, "window ends",
         "SELECT (SELECT min(arrival) FROM " + table
           + " WHERE appservice = :appservice), (SELECT max(arrival) FROM "
           + table + " WHERE appservice = :appservice)",
         "ii"},
    count{on, "window count",
          "SELECT count(*) FROM " + table + " WHERE appservice = :appservice",
          "i"},
    oldest{on, "window oldest",
           "SELECT arrival, at FROM " + table
             + " WHERE appservice = :appservice ORDER BY arrival LIMIT :max",
           "ii"},
    remove{on, "window remove",
           "DELETE FROM " + table
             + " WHERE appservice = :appservice AND arrival <= :last"} {
}

inbox::inbox(connection& on)
  : speaks_{on.speaks()},
    find_{on, "find inbound",
          "SELECT generation, at, event_hashes, non_event_hashes "
          "FROM inbound_transaction WHERE appservice = :appservice "
          "AND hs_txn_id = "
            + speaks_.bytes(":hs_txn_id") + " ORDER BY generation",
          "iibb"},
    remember_{on, "remember inbound", remember_text(speaks_)},
    find_seen_{on, "find seen", find_seen_text(speaks_), "i"},
    remember_seen_{on, "remember seen", remember_seen_text(speaks_)},
    inbound_{on, "inbound_transaction"},
    seen_{on, "seen_event"} {
}

expected<std::vector<inbound_row>>
inbox::find_inbound(queue_no queue, std::string_view hs_txn_id) {
  WEIR_TRY(find_.run(queue, raw_bytes{hs_txn_id}));
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
  return rows;
}

expected<void> inbox::remember_inbound(queue_no queue, const inbound_row& row) {
  return remember_.run(queue, raw_bytes{row.hs_txn_id}, row.generation, row.at,
                       raw_bytes{pack_words(row.event_hashes)},
                       raw_bytes{pack_words(row.non_event_hashes)});
}

expected<std::vector<uint64_t>>
inbox::find_seen(queue_no queue, std::span<const uint64_t> hashes) {
  std::unordered_set<uint64_t> known;
  const auto collect = [&]() -> expected<void> {
    while (true) {
      WEIR_TRY(auto found, find_seen_.next());
      if (!found)
        return ok();
      known.insert(find_seen_.count(0));
    }
  };
  if (speaks_.postgresql) {
    WEIR_TRY(find_seen_.run(queue, literal_of(hashes)));
    WEIR_TRY(collect());
  } else {
    for (const auto hash : hashes) {
      WEIR_TRY(find_seen_.run(queue, signed_pattern(hash)));
      WEIR_TRY(collect());
    }
  }
  std::vector<uint64_t> seen;
  for (const auto hash : hashes) {
    if (known.contains(hash))
      seen.push_back(hash);
  }
  return seen;
}

expected<void> inbox::remember_seen(queue_no queue,
                                    std::span<const uint64_t> hashes,
                                    stored_time now) {
  if (hashes.empty())
    return ok();
  if (!speaks_.postgresql)
    return remember_one_by_one(queue, hashes, now);
  return remember_seen_.run(queue, now, literal_of(hashes));
}

expected<void> inbox::remember_one_by_one(queue_no queue,
                                          std::span<const uint64_t> hashes,
                                          stored_time now) {
  WEIR_TRY(seen_.ends.run(queue));
  WEIR_TRY(auto found, seen_.ends.next());
  int64_t arrival = found ? seen_.ends.number(1) : 0;
  seen_.ends.done();
  for (const auto hash : hashes) {
    WEIR_TRY(remember_seen_.run(queue, signed_pattern(hash), arrival + 1, now));
    if (remember_seen_.changed() == 1)
      ++arrival;
  }
  return ok();
}

expected<uint64_t> inbox::window::excess(queue_no queue, size_t keep_max) {
  WEIR_TRY(ends.run(queue));
  WEIR_TRY(auto found, ends.next());
  // Gaps make this an upper bound, which mostly spares the count.
  const uint64_t at_most
    = !found || ends.null(0) ? 0 : ends.count(1) - ends.count(0) + 1;
  ends.done();
  if (at_most <= keep_max)
    return uint64_t{0};
  WEIR_TRY(count.run(queue));
  WEIR_TRY(found, count.next());
  const uint64_t rows = found ? count.count(0) : 0;
  count.done();
  return rows > keep_max ? rows - keep_max : uint64_t{0};
}

expected<uint64_t> inbox::window::forget(queue_no queue, stored_time before,
                                         size_t keep_max, size_t rows_max) {
  WEIR_TRY(const auto too_many, excess(queue, keep_max));
  WEIR_TRY(oldest.run(queue, as_count(rows_max)));
  std::optional<int64_t> last;
  for (uint64_t place = 0;; ++place) {
    WEIR_TRY(auto found, oldest.next());
    if (!found || (place >= too_many && oldest.when(1) >= before))
      break;
    last = oldest.number(0);
  }
  oldest.done();
  if (!last)
    return uint64_t{0};
  WEIR_TRY(remove.run(queue, *last));
  return remove.changed();
}

expected<uint64_t> inbox::forget(queue_no queue, stored_time before,
                                 size_t inbound_max, size_t seen_max,
                                 size_t rows_max) {
  WEIR_TRY(const auto inbound,
           inbound_.forget(queue, before, inbound_max, rows_max));
  WEIR_TRY(const auto seen, seen_.forget(queue, before, seen_max, rows_max));
  return inbound + seen;
}

} // namespace weir::sql
