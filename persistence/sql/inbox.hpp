#pragma once

#include "persistence/inbox_store.hpp"
#include "persistence/sql/seen_window.hpp"
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

  /// The connection is new, or the slot was taken anew: others may have
  /// written.
  void drop_copies() {
    seen_.clear();
  }

private:
  expected<uint64_t> excess(queue_no queue, size_t keep_max);
  expected<uint64_t> forget_inbound(queue_no queue, stored_time before,
                                    size_t keep_max, size_t rows_max);

  dialect speaks_;
  statement find_;
  statement remember_;
  statement ends_;
  statement count_;
  statement oldest_;
  statement remove_;
  seen_window seen_;
};

} // namespace weir::sql
