#pragma once

#include "persistence/command_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// What operators had done on SQL. Belongs to one connection.
class commands final : public command_store {
public:
  explicit commands(connection& on);

  expected<int64_t> record(const command_row& row) override;
  expected<uint64_t> forget_commands(size_t keep_max, size_t rows_max) override;

private:
  statement record_;
  statement forget_;
};

} // namespace weir::sql
