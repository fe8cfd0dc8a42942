#include "persistence/sql/orderings.hpp"

#include "persistence/sql/retention.hpp"

#include <algorithm>
#include <unordered_set>

namespace weir::sql {

namespace {

std::string find_text(const dialect& speaks) {
  const std::string from = "SELECT stream_ordering FROM outbox_ordering "
                           "WHERE appservice = :appservice AND ";
  return from
    + (speaks.postgresql
         ? "stream_ordering = ANY (CAST(:orderings AS BIGINT[]))"
         : "stream_ordering = :ordering");
}

std::string add_text(const dialect& speaks) {
  const std::string into
    = "INSERT INTO outbox_ordering (appservice, stream_ordering, seq, at) ";
  if (!speaks.postgresql)
    return into + "VALUES (:appservice, :ordering, :seq, :at)";
  return into
    + "SELECT CAST(:appservice AS BIGINT), given.* FROM unnest("
      "CAST(:ordering AS BIGINT[]), CAST(:seq AS BIGINT[]), "
      "CAST(:at AS BIGINT[])) AS given";
}

} // namespace

orderings::orderings(connection& on)
  : speaks_{on.speaks()},
    find_{on, "find orderings", find_text(speaks_), "i"},
    add_{on, "add orderings", add_text(speaks_)},
    highest_{on, "highest ordering",
             "SELECT max(stream_ordering) FROM outbox_ordering "
             "WHERE appservice = :appservice AND seq BETWEEN :first AND :last",
             "i"},
    oldest_{on, "oldest orderings",
            "SELECT seq, at FROM outbox_ordering "
            "WHERE appservice = :appservice AND seq <= :acked "
            "ORDER BY seq LIMIT :rows_max",
            "ii"},
    remove_{on, "forget orderings",
            "DELETE FROM outbox_ordering "
            "WHERE appservice = :appservice AND seq <= :last"} {
}

expected<std::vector<uint64_t>>
orderings::find(queue_no queue, std::span<const uint64_t> asked) {
  if (speaks_.postgresql)
    return find_at_once(queue, asked);
  std::vector<uint64_t> known;
  for (const auto each : asked) {
    WEIR_TRY(find_.run(queue, as_count(each)));
    WEIR_TRY(auto found, find_.next());
    if (found)
      known.push_back(each);
    find_.done();
  }
  return known;
}

expected<std::vector<uint64_t>>
orderings::find_at_once(queue_no queue, std::span<const uint64_t> asked) {
  array_literal wanted;
  for (const auto each : asked)
    wanted.add(as_count(each));
  WEIR_TRY(find_.run(queue, wanted.close()));
  std::unordered_set<uint64_t> there;
  while (true) {
    WEIR_TRY(auto found, find_.next());
    if (!found)
      break;
    there.insert(find_.count(0));
  }
  std::vector<uint64_t> known;
  std::ranges::copy_if(asked, std::back_inserter(known),
                       [&](auto each) { return there.contains(each); });
  return known;
}

expected<void> orderings::add(queue_no queue,
                              std::span<const ordering_row> rows) {
  if (rows.empty())
    return ok();
  if (!speaks_.postgresql) {
    for (const auto& row : rows) {
      WEIR_TRY(
        add_.run(queue, as_count(row.ordering), as_count(row.seq), row.at));
    }
    return ok();
  }
  array_literal ordering, seq, at;
  for (const auto& row : rows) {
    ordering.add(as_count(row.ordering));
    seq.add(as_count(row.seq));
    at.add(row.at.ms);
  }
  return add_.run(queue, ordering.close(), seq.close(), at.close());
}

expected<std::optional<uint64_t>>
orderings::highest(queue_no queue, uint64_t first, uint64_t last) {
  WEIR_TRY(highest_.run(queue, as_count(first), as_count(last)));
  WEIR_TRY(auto found, highest_.next());
  std::optional<uint64_t> highest;
  if (found && !highest_.null(0))
    highest = highest_.count(0);
  highest_.done();
  return highest;
}

expected<uint64_t> orderings::forget(queue_no queue, stored_time before,
                                     uint64_t too_many, uint64_t acked,
                                     size_t rows_max) {
  WEIR_TRY(oldest_.run(queue, as_count(acked), as_count(rows_max)));
  WEIR_TRY(const auto last, last_to_forget(oldest_, too_many, before));
  if (!last)
    return uint64_t{0};
  WEIR_TRY(remove_.run(queue, *last));
  return remove_.changed();
}

} // namespace weir::sql
