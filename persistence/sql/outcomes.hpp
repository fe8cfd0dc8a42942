#pragma once

#include "persistence/outcome_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// The feed and the status of queues on SQL. Belongs to one connection.
class outcomes final : public outcome_store {
public:
  explicit outcomes(connection& on);

  expected<void> record(const outcome_row& row) override;
  expected<void> put_status(const queue_status_row& row) override;
  expected<uint64_t> forget_outcomes(stored_time before, size_t keep_max,
                                     size_t rows_max) override;

private:
  statement record_;
  statement put_status_;
  statement count_;
  statement oldest_;
  statement remove_;
};

} // namespace weir::sql
