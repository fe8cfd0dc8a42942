#pragma once

#include "persistence/sql/outbox.hpp"
#include "persistence/sql/realm_reading.hpp"
#include "persistence/sql/snapshot.hpp"
#include "persistence/sql/statement.hpp"
#include "persistence/store.hpp"

namespace weir::sql {

/// The reading side over one SQL connection. Each call is one statement and so
/// one snapshot, but for those of an opened one; a lost connection is made anew
/// once.
class reader final : public store_reader {
public:
  explicit reader(std::unique_ptr<connection> on);

  expected<store_identity> identity() override;
  expected<stored_time> now() override;
  expected<std::vector<queue_view>> queues(page_request page) override;
  expected<std::optional<queue_view>> queue(const appservice_id& id) override;
  expected<std::vector<dead_letter_row>>
  dead_letters(const std::optional<appservice_id>& of,
               page_request page) override;
  expected<std::optional<dead_letter_row>> dead_letter(int64_t id) override;
  expected<std::vector<quarantine_row>>
  quarantined(const std::optional<appservice_id>& of,
              page_request page) override;
  expected<std::optional<quarantine_row>> quarantined_body(int64_t id) override;
  expected<std::vector<owed_row>> owed(const appservice_id& of, uint64_t after,
                                       size_t rows_max,
                                       size_t bytes_max) override;
  expected<kept_counts> kept_by(const appservice_id& of) override;
  expected<std::vector<command_row>> commands(int64_t before,
                                              size_t rows_max) override;
  expected<kept_totals> kept() override;
  expected<uint64_t> database_bytes() override;
  expected<std::unique_ptr<store_snapshot>>
    open_snapshot(snapshot_access) override;
  realm_reader& realms() override {
    return realms_;
  }

private:
  /// Runs a statement; when the connection is gone, once more on a new one.
  template <class... Arguments>
  expected<void> ask(statement& which, const Arguments&... arguments);

  // First, so that it outlives the statements.
  std::unique_ptr<connection> on_;
  statement identity_;
  statement now_;
  statement queues_;
  statement queue_;
  statement letters_;
  statement letters_of_;
  statement letter_;
  statement quarantined_;
  statement quarantined_of_;
  statement body_;
  owed_reading owed_;
  statement kept_by_;
  statement commands_;
  statement kept_;
  statement database_bytes_;
  snapshot_statements of_snapshots_;
  realm_reading realms_;
};

} // namespace weir::sql
