#pragma once

#include "persistence/ordering_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// The ordering port on SQL. Belongs to one connection. SQLite is asked row by
/// row, PostgreSQL with lists, since each statement is a round trip.
class orderings final : public ordering_store {
public:
  explicit orderings(connection& on);

  expected<std::vector<uint64_t>>
  find(queue_no queue, std::span<const uint64_t> asked) override;
  expected<void> add(queue_no queue,
                     std::span<const ordering_row> rows) override;
  expected<std::optional<uint64_t>> highest(queue_no queue, uint64_t first,
                                            uint64_t last) override;
  expected<uint64_t> forget(queue_no queue, stored_time before,
                            uint64_t too_many, uint64_t acked,
                            size_t rows_max) override;

private:
  expected<std::vector<uint64_t>> find_at_once(queue_no queue,
                                               std::span<const uint64_t> asked);

  dialect speaks_;
  statement find_;
  statement add_;
  statement highest_;
  statement oldest_;
  statement remove_;
};

} // namespace weir::sql
