#pragma once

#include "persistence/outbox_store.hpp"
#include "persistence/sql/statement.hpp"

namespace weir::sql {

/// Column lists and readers that the reading side shares.
std::string queue_columns(std::string_view prefix);
inline constexpr std::string_view queue_column_types
  = "itiitittiiiiiiiiiiiiiiiiiiiittiiiii";
/// Reads a queue whose first column is `first`. Errors: `ec::corrupt` when the
/// stored pin cannot be read.
expected<queue_row> read_queue(statement& from, size_t first);

/// A row's place: its queue's number, then its seq. Beyond a queue's last seq
/// it is the last.
int64_t place_of(queue_no queue, uint64_t seq);
uint64_t seq_at(int64_t place);
/// Whether there are places up to `seq` in this queue.
bool has_place(queue_no queue, uint64_t seq);

/// Reads what a queue owes, for either side.
class owed_reading {
public:
  explicit owed_reading(connection& on);

  /// As `outbox_store::read_owed`.
  expected<std::vector<owed_row>> read(queue_no queue, uint64_t after,
                                       size_t rows_max, size_t bytes_max);

private:
  dialect speaks_;
  statement owed_;
};

/// Lanes of a pin as they are stored: `lane:first-last`, parted by spaces.
std::string lanes_text(const std::vector<lane_range>& lanes);
expected<std::vector<lane_range>> parse_lanes(std::string_view text);

/// The outbox port on SQL. Belongs to one connection.
class outbox final : public outbox_store {
public:
  explicit outbox(connection& on);

  expected<std::optional<queue_row>>
  lock_queue(const appservice_id& id) override;
  expected<queue_row> adopt_queue(const appservice_id& id) override;
  expected<void> save_queue(const queue_row& row) override;
  expected<void> append(queue_no queue,
                        std::span<const owed_row> rows) override;
  expected<std::vector<owed_row>> read_owed(queue_no queue, uint64_t after,
                                            size_t rows_max,
                                            size_t bytes_max) override;
  expected<std::vector<owed_row>>
  read_ranges(queue_no queue, std::span<const lane_range> ranges) override;
  expected<std::vector<owed_row>> read_values(queue_no queue, uint64_t after,
                                              size_t rows_max) override;
  expected<void> rewrite(queue_no queue, uint64_t seq,
                         std::string_view bytes) override;
  expected<uint64_t> remove(queue_no queue,
                            std::span<const lane_range> ranges) override;
  expected<std::vector<appservice_id>> owed_queues(const appservice_id& after,
                                                   size_t rows_max) override;

private:
  expected<void> append_one_by_one(queue_no queue,
                                   std::span<const owed_row> rows);
  expected<void> append_at_once(queue_no queue, std::span<const owed_row> rows);

  dialect speaks_;
  statement lock_;
  statement adopt_;
  statement save_;
  statement append_;
  owed_reading owed_;
  statement range_;
  statement values_;
  statement rewrite_;
  statement remove_;
  statement queues_;
};

} // namespace weir::sql
