#pragma once

#include "persistence/removal_store.hpp"
#include "persistence/sql/statement.hpp"

#include <string>

namespace weir::sql {

/// What `kept_counts` is read by, from a queue's id: a writer's and a reader's.
extern const std::string kept_counts_text;
inline constexpr std::string_view kept_counts_types = "iiiii";
kept_counts read_kept_counts(statement& from);

/// Removals on SQL. Belongs to one connection.
class removals final : public removal_store {
public:
  explicit removals(connection& on);

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
  expected<uint64_t> remove_by_number(const removal_row& row, size_t rows_max);
  expected<uint64_t> remove_by_id(const removal_row& row, size_t rows_max);

  statement queues_;
  statement count_;
  statement begin_;
  statement free_;
  statement status_;
  statement oldest_;
  statement oldest_of_;
  statement outbox_;
  statement waiting_;
  statement orderings_;
  statement inbound_;
  statement seen_;
  statement letters_;
  statement bodies_;
  statement commands_;
  statement finish_;
  statement forget_;
};

} // namespace weir::sql
