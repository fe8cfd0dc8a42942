#pragma once

#include "persistence/keep_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// Dead letters and quarantine on SQL. Belongs to one connection.
class keep final : public keep_store {
public:
  explicit keep(connection& on);

  expected<int64_t> bury(const dead_letter_row& row) override;
  expected<std::vector<dead_letter_row>>
  read_letters(const appservice_id& of, int64_t after, int64_t until,
               size_t rows_max, size_t bytes_max) override;
  expected<int64_t> last_letter(const appservice_id& of) override;
  expected<uint64_t> remove_letters(const appservice_id& of,
                                    std::span<const int64_t> ids) override;
  expected<bool> count_quarantined(const quarantine_row& row) override;
  expected<int64_t> quarantine(const quarantine_row& row) override;
  expected<std::vector<kept_size>>
  next_quarantined(const appservice_id& of, int64_t after, int64_t until,
                   size_t rows_max, size_t bytes_max) override;
  expected<int64_t> last_quarantined(const appservice_id& of) override;
  expected<uint64_t> remove_quarantined(const appservice_id& of,
                                        std::span<const int64_t> ids) override;
  expected<uint64_t> dead_letter_bytes() override;
  expected<uint64_t> quarantine_bytes() override;
  expected<kept_bytes> held_by(const appservice_id& of) override;

private:
  expected<uint64_t> remove(statement& by, const appservice_id& of,
                            std::span<const int64_t> ids) const;
  expected<std::optional<int64_t>> count_again(const quarantine_row& row,
                                               const std::string& sha256);

  dialect speaks_;
  statement find_letter_;
  statement replace_letter_;
  statement bury_;
  statement letters_;
  statement last_letter_;
  statement remove_letters_;
  statement count_again_;
  statement replace_body_;
  statement quarantine_;
  statement next_quarantined_;
  statement last_quarantined_;
  statement remove_quarantined_;
  statement letter_bytes_;
  statement quarantine_bytes_;
  statement held_by_;
};

} // namespace weir::sql
