#pragma once

#include "persistence/sql/commands.hpp"
#include "persistence/sql/inbox.hpp"
#include "persistence/sql/keep.hpp"
#include "persistence/sql/orderings.hpp"
#include "persistence/sql/outbox.hpp"
#include "persistence/sql/outcomes.hpp"
#include "persistence/sql/realm_events.hpp"
#include "persistence/sql/realm_sends.hpp"
#include "persistence/sql/realms.hpp"
#include "persistence/sql/removals.hpp"
#include "persistence/sql/waiting.hpp"
#include "persistence/store.hpp"

namespace weir::sql {

/// Reads the database's clock less the stored offset. Both sides need it.
std::string now_text(const dialect& speaks);

/// The store over one SQL connection, SQLite or PostgreSQL.
class sql_store final : public store {
public:
  explicit sql_store(std::unique_ptr<connection> on);

  expected<slot_lease> take_slot(uint32_t slot, const std::string& owner,
                                 uint64_t run) override;
  expected<std::vector<slot_row>> slots() override;
  expected<void> begin(const slot_lease& lease, uint64_t positions) override;
  expected<stored_time> now() override;
  expected<void> add_clock_offset(milliseconds by) override;
  expected<void> commit() override;
  void rollback() noexcept override;
  expected<void> reconnect() override;
  expected<std::optional<slot_row>> read_slot(uint32_t slot) override;
  expected<void> tidy(size_t pages_max) override;

  outbox_store& outbox() override {
    return outbox_;
  }
  waiting_store& waiting() override {
    return waiting_;
  }
  ordering_store& orderings() override {
    return orderings_;
  }
  inbox_store& inbox() override {
    return inbox_;
  }
  keep_store& keep() override {
    return keep_;
  }
  outcome_store& outcomes() override {
    return outcomes_;
  }
  command_store& commands() override {
    return commands_;
  }
  removal_store& removals() override {
    return removals_;
  }
  realm_stores realms() override {
    return {realms_, realm_events_, realm_sends_};
  }

private:
  expected<std::optional<slot_row>> lock_slot(uint32_t slot);
  expected<bool> raise_fence(const slot_lease& lease, uint64_t positions);
  expected<slot_lease> take_locked(uint32_t slot, const std::string& owner,
                                   uint64_t run);

  // First, so that it outlives the statements.
  std::unique_ptr<connection> on_;
  statement lock_slot_;
  statement slots_;
  statement make_slot_;
  statement take_slot_;
  statement end_run_;
  statement begin_run_;
  statement fence_;
  statement now_;
  statement add_offset_;
  sql::outbox outbox_;
  sql::waiting waiting_;
  sql::orderings orderings_;
  sql::inbox inbox_;
  sql::keep keep_;
  sql::outcomes outcomes_;
  sql::commands commands_;
  sql::removals removals_;
  sql::realms realms_;
  sql::realm_events realm_events_;
  sql::realm_sends realm_sends_;
  /// What the fence of the open batch told of the time, until it is asked for.
  std::optional<stored_time> begun_at_;
};

} // namespace weir::sql
