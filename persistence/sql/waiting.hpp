#pragma once

#include "persistence/sql/statement.hpp"
#include "persistence/waiting_store.hpp"

namespace weir::sql {

/// The waiting port on SQL. Belongs to one connection. SQLite is asked row by
/// row, PostgreSQL with lists, since each statement is a round trip.
class waiting final : public waiting_store {
public:
  explicit waiting(connection& on);

  expected<void> add(queue_no queue,
                     std::span<const waiting_row> rows) override;
  expected<std::vector<waiting_row>>
  about(queue_no queue, std::span<const uint64_t> subjects) override;
  expected<std::vector<waiting_row>> oldest(queue_no queue,
                                            size_t rows_max) override;
  expected<uint64_t> remove(queue_no queue,
                            std::span<const uint64_t> arrivals) override;

private:
  expected<void> add_at_once(queue_no queue, std::span<const waiting_row> rows);

  dialect speaks_;
  statement add_;
  statement about_;
  statement oldest_;
  statement remove_;
};

} // namespace weir::sql
