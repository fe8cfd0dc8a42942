#include "persistence/sql/waiting.hpp"

#include "persistence/sql/outbox.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace weir::sql {

namespace {

constexpr std::string_view columns = "place, subject, accepted_at, keys, bytes";
constexpr std::string_view column_types = "iiitt";
constexpr uint64_t beyond = UINT64_MAX; ///< All seqs of a queue.

std::string add_text(const dialect& speaks) {
  const std::string into
    = "INSERT INTO waiting_ephemeral (" + std::string{columns} + ") ";
  if (!speaks.postgresql)
    return into + "VALUES (:place, :subject, :accepted_at, :keys, :bytes)";
  return into
    + "SELECT given.* FROM unnest(CAST(:place AS BIGINT[]), "
      "CAST(:subject AS BIGINT[]), CAST(:accepted_at AS BIGINT[]), "
      "CAST(:keys AS TEXT[]), CAST(:bytes AS TEXT[])) AS given";
}

/// `column` is one number, or on PostgreSQL one of a list.
std::string is_given(const dialect& speaks, const std::string& column) {
  return speaks.postgresql
    ? column + " = ANY (CAST(:" + column + " AS BIGINT[]))"
    : column + " = :" + column;
}

expected<std::vector<waiting_row>> read_rows(statement& from) {
  std::vector<waiting_row> rows;
  while (true) {
    WEIR_TRY(auto found, from.next());
    if (!found)
      return rows;
    rows.push_back({seq_at(from.number(0)), from.count(1), from.when(2),
                    from.text(3), event_bytes{from.text(4)}});
  }
}

} // namespace

waiting::waiting(connection& on)
  : speaks_{on.speaks()},
    add_{on, "add waiting", add_text(speaks_)},
    about_{on, "waiting about",
           "SELECT " + std::string{columns} + " FROM waiting_ephemeral WHERE "
             + is_given(speaks_, "subject")
             + " AND place BETWEEN :first AND :last ORDER BY place",
           column_types},
    oldest_{on, "oldest waiting",
            "SELECT " + std::string{columns}
              + " FROM waiting_ephemeral WHERE place BETWEEN :first AND :last "
                "ORDER BY place LIMIT :rows_max",
            column_types},
    remove_{on, "remove waiting",
            "DELETE FROM waiting_ephemeral WHERE "
              + is_given(speaks_, "place")} {
}

expected<void> waiting::add(queue_no queue, std::span<const waiting_row> rows) {
  if (rows.empty())
    return ok();
  if (!has_place(queue, rows.back().arrival))
    return fail(ec::rejected, "add waiting: the numbers are used up");
  if (speaks_.postgresql)
    return add_at_once(queue, rows);
  for (const auto& row : rows) {
    WEIR_TRY(add_.run(place_of(queue, row.arrival), signed_pattern(row.subject),
                      row.accepted_at, row.keys, row.bytes));
  }
  return ok();
}

expected<void> waiting::add_at_once(queue_no queue,
                                    std::span<const waiting_row> rows) {
  array_literal place, subject, at, keys, bytes;
  for (const auto& row : rows) {
    place.add(place_of(queue, row.arrival));
    subject.add(signed_pattern(row.subject));
    at.add(row.accepted_at.ms);
    keys.add_text(row.keys);
    bytes.add_text(row.bytes);
  }
  return add_.run(place.close(), subject.close(), at.close(), keys.close(),
                  bytes.close());
}

expected<std::vector<waiting_row>>
waiting::about(queue_no queue, std::span<const uint64_t> subjects) {
  const auto first = place_of(queue, 0);
  const auto last = place_of(queue, beyond);
  if (speaks_.postgresql) {
    array_literal wanted;
    for (const auto each : subjects)
      wanted.add(signed_pattern(each));
    WEIR_TRY(about_.run(wanted.close(), first, last));
    return read_rows(about_);
  }
  const std::set<uint64_t> distinct{subjects.begin(), subjects.end()};
  std::vector<waiting_row> rows;
  for (const auto each : distinct) {
    WEIR_TRY(about_.run(signed_pattern(each), first, last));
    WEIR_TRY(auto found, read_rows(about_));
    std::ranges::move(found, std::back_inserter(rows));
  }
  std::ranges::sort(rows, {}, &waiting_row::arrival);
  return rows;
}

expected<std::vector<waiting_row>> waiting::oldest(queue_no queue,
                                                   size_t rows_max) {
  WEIR_TRY(oldest_.run(place_of(queue, 0), place_of(queue, beyond),
                       as_count(rows_max)));
  return read_rows(oldest_);
}

expected<uint64_t> waiting::remove(queue_no queue,
                                   std::span<const uint64_t> arrivals) {
  if (speaks_.postgresql) {
    array_literal places;
    for (const auto each : arrivals)
      places.add(place_of(queue, each));
    WEIR_TRY(remove_.run(places.close()));
    return remove_.changed();
  }
  uint64_t removed = 0;
  for (const auto each : arrivals) {
    WEIR_TRY(remove_.run(place_of(queue, each)));
    removed += remove_.changed();
  }
  return removed;
}

} // namespace weir::sql
