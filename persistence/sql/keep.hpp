#pragma once

#include "persistence/keep_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// Dead letters and quarantine on SQL. Belongs to one connection.
class keep final : public keep_store {
public:
  explicit keep(connection& on);

  expected<int64_t> bury(const dead_letter_row& row) override;
  expected<bool> count_quarantined(const quarantine_row& row) override;
  expected<int64_t> quarantine(const quarantine_row& row) override;
  expected<uint64_t> dead_letter_bytes() override;
  expected<uint64_t> quarantine_bytes() override;

private:
  expected<std::optional<int64_t>> count_again(const quarantine_row& row,
                                               const std::string& sha256);

  statement find_letter_;
  statement bury_;
  statement count_again_;
  statement quarantine_;
  statement letter_bytes_;
  statement quarantine_bytes_;
};

} // namespace weir::sql
