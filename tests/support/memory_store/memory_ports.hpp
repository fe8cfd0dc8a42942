#pragma once

#include "tests/support/memory_store/memory_state.hpp"

namespace weir::test {

/// Port `outbox_store` in memory.
class memory_outbox final : public outbox_store {
public:
  explicit memory_outbox(memory_session& on) : on_{on} {
  }
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
  memory_session& on_;
};

/// Port `waiting_store` in memory.
class memory_waiting final : public waiting_store {
public:
  explicit memory_waiting(memory_session& on) : on_{on} {
  }
  expected<void> add(queue_no queue,
                     std::span<const waiting_row> rows) override;
  expected<std::vector<waiting_row>>
  about(queue_no queue, std::span<const uint64_t> subjects) override;
  expected<std::vector<waiting_row>> oldest(queue_no queue,
                                            size_t rows_max) override;
  expected<uint64_t> remove(queue_no queue,
                            std::span<const uint64_t> arrivals) override;

private:
  memory_session& on_;
};

/// Port `ordering_store` in memory.
class memory_orderings final : public ordering_store {
public:
  explicit memory_orderings(memory_session& on) : on_{on} {
  }
  expected<std::vector<uint64_t>>
  find(queue_no queue, std::span<const uint64_t> orderings) override;
  expected<void> add(queue_no queue,
                     std::span<const ordering_row> rows) override;
  expected<std::optional<uint64_t>> highest(queue_no queue, uint64_t first,
                                            uint64_t last) override;
  expected<uint64_t> forget(queue_no queue, stored_time before,
                            uint64_t too_many, uint64_t acked,
                            size_t rows_max) override;

private:
  memory_session& on_;
};

/// Port `inbox_store` in memory.
class memory_inbox final : public inbox_store {
public:
  explicit memory_inbox(memory_session& on) : on_{on} {
  }
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
  template <auto Rows, auto Order, class TimeOf>
  uint64_t forget_oldest(queue_no queue, stored_time before, size_t keep_max,
                         size_t rows_max, TimeOf time_of);

  memory_session& on_;
};

/// Port `keep_store` in memory.
class memory_keep final : public keep_store {
public:
  explicit memory_keep(memory_session& on) : on_{on} {
  }
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
  std::optional<int64_t> count_again(const quarantine_row& row);
  bool is_going(const appservice_id& of, int64_t id,
                int64_t removal_row::*last);

  memory_session& on_;
};

/// Port `outcome_store` in memory.
class memory_outcomes final : public outcome_store {
public:
  explicit memory_outcomes(memory_session& on) : on_{on} {
  }
  expected<void> record(const outcome_row& row) override;
  expected<void> put_status(const queue_status_row& row) override;
  expected<std::optional<queue_status_row>>
  find_status(const std::string& queue) override;
  expected<uint64_t> forget_outcomes(stored_time before, size_t keep_max,
                                     size_t rows_max) override;

private:
  memory_session& on_;
};

/// Port `command_store` in memory.
class memory_commands final : public command_store {
public:
  explicit memory_commands(memory_session& on) : on_{on} {
  }
  expected<int64_t> record(const command_row& row) override;
  expected<uint64_t> forget_commands(size_t keep_max, size_t rows_max) override;

private:
  memory_session& on_;
};

/// Port `removal_store` in memory.
class memory_removals final : public removal_store {
public:
  explicit memory_removals(memory_session& on) : on_{on} {
  }
  expected<std::vector<held_queue>> queues(const appservice_id& after,
                                           size_t rows_max) override;
  expected<kept_counts> count_kept(const appservice_id& of) override;
  expected<void> begin(const removal_row& row) override;
  expected<std::optional<removal_row>>
  unfinished(const std::optional<appservice_id>& of) override;
  expected<uint64_t> remove_some(const removal_row& row,
                                 size_t rows_max) override;
  expected<void> finish(const removal_row& row) override;

private:
  template <auto Table, class Belongs>
  uint64_t remove_of(size_t rows_max, Belongs belongs);

  memory_session& on_;
};

/// What the port counts, of any tables.
kept_counts kept_counts_of(const memory_tables& tables,
                           const appservice_id& of);

/// Reads of one in-memory database.
std::unique_ptr<store_reader>
make_memory_reader(std::shared_ptr<memory_state> state);

} // namespace weir::test
