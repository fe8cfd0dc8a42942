#pragma once

#include "persistence/inbox_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// The inbox port on SQL. Belongs to one connection.
class inbox final : public inbox_store {
public:
  explicit inbox(connection& on);

  expected<std::vector<inbound_row>>
  find_inbound(queue_no queue, std::string_view hs_txn_id) override;
  expected<void> remember_inbound(queue_no queue,
                                  const inbound_row& row) override;
  expected<std::vector<uint64_t>>
  find_seen(queue_no queue, std::span<const uint64_t> hashes) override;
  expected<void> remember_seen(queue_no queue, std::span<const uint64_t> hashes,
                               stored_time now) override;
  expected<uint64_t> forget(queue_no queue, stored_time before,
                            size_t inbound_max, size_t seen_max,
                            size_t rows_max) override;

private:
  /// One window: a table with `appservice`, `arrival` and `at`. Arrivals rise;
  /// the row with the lowest is the next to be forgotten.
  struct window {
    window(connection& on, const std::string& table);
    expected<uint64_t> forget(queue_no queue, stored_time before,
                              size_t keep_max, size_t rows_max);
    expected<uint64_t> excess(queue_no queue, size_t keep_max);

    statement ends;
    statement count;
    statement oldest;
    statement remove;
  };

  expected<void> remember_one_by_one(queue_no queue,
                                     std::span<const uint64_t> hashes,
                                     stored_time now);

  dialect speaks_;
  statement find_;
  statement remember_;
  statement find_seen_;
  statement remember_seen_;
  window inbound_;
  window seen_;
};

} // namespace weir::sql
