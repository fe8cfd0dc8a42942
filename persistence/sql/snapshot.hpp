#pragma once

#include "persistence/realm_store.hpp"
#include "persistence/sql/statement.hpp"
#include "persistence/store_snapshot.hpp"

namespace weir::sql {

/// What is asked of snapshots, prepared once for all of a reader.
struct snapshot_statements {
  explicit snapshot_statements(connection& on);
  statement slots;
  statement run_end;
  statement forgotten;
  statement outcomes;
};

/// A reading transaction of a reader's connection, open as long as this lives.
class snapshot final : public store_snapshot {
public:
  /// The transaction is begun.
  snapshot(connection& on, snapshot_statements& by, realm_reader& realms)
    : on_{on},
      by_{by},
      realms_{realms} {
  }
  ~snapshot() override {
    on_.rollback();
  }
  snapshot(const snapshot&) = delete;
  snapshot& operator=(const snapshot&) = delete;

  expected<std::vector<slot_row>> slots() override;
  expected<std::optional<uint64_t>> run_end(uint32_t slot,
                                            uint64_t run) override;
  expected<std::vector<forgotten_row>> forgotten_outcomes() override;
  expected<std::vector<outcome_row>> outcomes(uint32_t slot, uint64_t after,
                                              uint64_t until,
                                              size_t rows_max) override;
  realm_reader& realms() override {
    return realms_;
  }

private:
  connection& on_;
  snapshot_statements& by_;
  realm_reader& realms_;
};

} // namespace weir::sql
