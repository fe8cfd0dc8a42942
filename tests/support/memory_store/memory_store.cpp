#include "tests/support/memory_store/memory_store.hpp"

#include "persistence/text_check.hpp"
#include "schema/hash.hpp"
#include "tests/support/memory_store/memory_ports.hpp"
#include "tests/support/memory_store/memory_realms.hpp"

#include <optional>
#include <utility>

namespace weir::test {

namespace {

class memory_store final : public store {
public:
  explicit memory_store(std::shared_ptr<memory_state> state)
    : on_{std::move(state)},
      outbox_{on_},
      waiting_{on_},
      orderings_{on_},
      inbox_{on_},
      keep_{on_},
      outcomes_{on_},
      commands_{on_},
      removals_{on_},
      realms_{on_},
      realm_events_{on_},
      realm_sends_{on_} {
  }

  expected<slot_lease> take_slot(uint32_t slot, const std::string& owner,
                                 uint64_t run) override;
  expected<std::vector<slot_row>> slots() override;
  expected<void> begin(const slot_lease& lease, uint64_t positions) override;
  expected<stored_time> now() override;
  expected<void> add_clock_offset(milliseconds by) override;
  expected<void> commit() override {
    return on_.commit();
  }
  void rollback() noexcept override {
    begun_at_.reset();
    on_.roll_back();
  }
  expected<void> reconnect() override {
    return on_.reconnect();
  }
  expected<std::optional<slot_row>> read_slot(uint32_t slot) override;
  expected<void> tidy(size_t) override {
    WEIR_TRY(const auto statement, on_.run("tidy"));
    return ok();
  }

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
  stored_time clock();
  expected<slot_lease> take_locked(uint32_t slot, const std::string& owner,
                                   uint64_t run);
  expected<bool> fence(const slot_lease& lease, uint64_t positions);

  memory_session on_;
  memory_outbox outbox_;
  memory_waiting waiting_;
  memory_orderings orderings_;
  memory_inbox inbox_;
  memory_keep keep_;
  memory_outcomes outcomes_;
  memory_commands commands_;
  memory_removals removals_;
  memory_realms realms_;
  memory_realm_events realm_events_;
  memory_realm_sends realm_sends_;
  /// What the fence of the open batch told of the time, as with SQL.
  std::optional<stored_time> begun_at_;
};

expected<slot_lease>
memory_store::take_slot(uint32_t slot, const std::string& owner, uint64_t run) {
  WEIR_TRY(on_.begin());
  auto taken = take_locked(slot, owner, run);
  if (taken) {
    const auto committed = on_.commit();
    if (!committed)
      taken = fail(ec::unavailable, committed.error().context);
  }
  if (!taken)
    on_.roll_back();
  return taken;
}

expected<slot_lease> memory_store::take_locked(uint32_t slot,
                                               const std::string& owner,
                                               uint64_t run) {
  WEIR_TRY(const auto statement, on_.run("take slot", true));
  if (!storable_as_text(owner) || on_.tables().runs.contains({slot, run}))
    return fail(on_.failed(ec::rejected, "take slot"));
  slot_row row{slot, owner, 1, run, 0, 0};
  if (const auto known = on_.tables().slots.find(slot);
      known != on_.tables().slots.end()) {
    const auto& before = known->second;
    const std::pair old_run{slot, before.run};
    if (const auto ended = on_.tables().runs.find(old_run);
        ended != on_.tables().runs.end())
      on_.put<&memory_tables::runs>(
        old_run, memory_tables::run_entry{ended->second.first_pos, before.pos});
    row.epoch = before.epoch + 1;
    row.beat = before.beat + 1;
    row.pos = before.pos;
  }
  on_.put<&memory_tables::slots>(slot, row);
  on_.put<&memory_tables::runs>(
    std::pair{slot, run}, memory_tables::run_entry{row.pos + 1, std::nullopt});
  return slot_lease{slot, row.epoch, run, row.pos};
}

expected<std::vector<slot_row>> memory_store::slots() {
  WEIR_TRY(const auto statement, on_.run("slots"));
  std::vector<slot_row> rows;
  for (const auto& [slot, row] : on_.tables().slots)
    rows.push_back(row);
  return rows;
}

expected<bool> memory_store::fence(const slot_lease& lease,
                                   uint64_t positions) {
  WEIR_TRY(const auto statement, on_.run("fence"));
  const auto found = on_.tables().slots.find(lease.slot);
  if (found == on_.tables().slots.end())
    return false;
  auto row = found->second;
  if (row.epoch != lease.epoch || row.run != lease.run || row.pos != lease.pos)
    return false;
  row.pos += positions;
  ++row.beat;
  on_.put<&memory_tables::slots>(lease.slot, row);
  begun_at_ = clock();
  return true;
}

stored_time memory_store::clock() {
  return on_.state().clock() - milliseconds{on_.tables().clock_offset};
}

expected<void> memory_store::begin(const slot_lease& lease,
                                   uint64_t positions) {
  auto begun = on_.begin();
  if (begun) {
    const auto ours = fence(lease, positions);
    if (ours && ours.value())
      return ok();
    begun = ours ? fail(ec::superseded, "the slot row is another's")
                 : fail(ours.error());
    on_.roll_back();
  }
  if (begun.error().code == ec::rejected)
    return fail(ec::unavailable, begun.error().context);
  return begun;
}

expected<stored_time> memory_store::now() {
  if (const auto told = std::exchange(begun_at_, std::nullopt))
    return *told;
  WEIR_TRY(const auto statement, on_.run("now"));
  return clock();
}

expected<void> memory_store::add_clock_offset(milliseconds by) {
  begun_at_.reset();
  WEIR_TRY(const auto statement, on_.run("clock offset"));
  on_.set<&memory_tables::clock_offset>(on_.tables().clock_offset + by.count());
  return ok();
}

expected<std::optional<slot_row>> memory_store::read_slot(uint32_t slot) {
  WEIR_TRY(on_.begin());
  const auto read = [&]() -> expected<std::optional<slot_row>> {
    WEIR_TRY(const auto statement, on_.run("lock slot"));
    const auto found = on_.tables().slots.find(slot);
    if (found == on_.tables().slots.end())
      return std::optional<slot_row>{};
    return std::optional{found->second};
  };
  auto row = read();
  on_.roll_back();
  return row;
}

} // namespace

memory_database::memory_database() : state_{std::make_shared<memory_state>()} {
  state_->tables.identity = {random_hex(32), random_hex(32)};
  set_time({1'700'000'000'000});
}

std::unique_ptr<store> memory_database::connect() const {
  return std::make_unique<memory_store>(state_);
}

std::unique_ptr<store_reader> memory_database::connect_reader() const {
  return make_memory_reader(state_);
}

void memory_database::fail_statement(uint64_t nth, ec code) {
  const std::lock_guard lock{state_->mutex};
  state_->failing_statement = nth;
  state_->failing_with = code;
}

void memory_database::lose_connection(connection_loss when) {
  const std::lock_guard lock{state_->mutex};
  state_->loss = when;
}

void memory_database::set_away(bool away) {
  const std::lock_guard lock{state_->mutex};
  state_->away = away;
}

void memory_database::set_away_after_commit() {
  const std::lock_guard lock{state_->mutex};
  state_->away_after_commit = true;
}

void memory_database::set_disk_full(bool full) {
  const std::lock_guard lock{state_->mutex};
  state_->disk_full = full;
}

void memory_database::set_time(stored_time now) {
  set_clock([now] { return now; });
}

void memory_database::advance(milliseconds by) {
  const std::lock_guard lock{state_->mutex};
  state_->clock = [now = state_->clock() + by] { return now; };
}

void memory_database::set_clock(std::function<stored_time()> clock) {
  const std::lock_guard lock{state_->mutex};
  state_->clock = std::move(clock);
}

uint64_t memory_database::commits() const {
  const std::lock_guard lock{state_->mutex};
  return state_->commits;
}

uint64_t memory_database::statements() const {
  const std::lock_guard lock{state_->mutex};
  return state_->statements;
}

std::shared_ptr<const memory_tables> memory_database::copy() const {
  const std::lock_guard lock{state_->mutex};
  return std::make_shared<const memory_tables>(state_->committed_copy());
}

void memory_database::restore(
  const std::shared_ptr<const memory_tables>& copied) {
  const std::lock_guard lock{state_->mutex};
  WEIR_ASSERT(state_->writer == nullptr);
  state_->tables = *copied;
}

} // namespace weir::test
