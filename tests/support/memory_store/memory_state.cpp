#include "tests/support/memory_store/memory_state.hpp"

#include <utility>

namespace weir::test {

namespace {

/// As SQLite's busy time-out: a writer that holds on longer is stuck.
constexpr std::chrono::seconds writer_wait{5};

} // namespace

void memory_state::roll_back() {
  while (!undo.empty()) {
    undo.back()(tables);
    undo.pop_back();
  }
}

memory_tables memory_state::committed_copy() const {
  auto copy = tables;
  for (auto each = undo.rbegin(); each != undo.rend(); ++each)
    (*each)(copy);
  return copy;
}

memory_session::memory_session(std::shared_ptr<memory_state> state)
  : state_{std::move(state)} {
}

memory_session::~memory_session() {
  roll_back();
}

expected<void> memory_session::begin() {
  WEIR_ASSERT(!open_);
  WEIR_TRY(auto lock, run("begin"));
  if (!state_->transaction_ended.wait_for(
        lock, writer_wait, [this] { return state_->writer == nullptr; }))
    return fail(ec::unavailable, "begin: another writer holds the database");
  state_->writer = this;
  open_ = true;
  return ok();
}

expected<memory_session::statement> memory_session::run(std::string_view doing,
                                                        bool adds_rows) {
  statement lock{state_->mutex};
  const std::string name{doing};
  if (failed_)
    return fail(ec::rejected, "an earlier statement of this batch failed");
  if (state_->away)
    connected_ = false;
  if (!connected_)
    return fail(failed(ec::unavailable, name + ": connection lost"));
  ++state_->statements;
  if (state_->failing_statement && --*state_->failing_statement == 0) {
    state_->failing_statement.reset();
    return fail(failed(state_->failing_with, name + ": injected fault"));
  }
  if (adds_rows && state_->disk_full)
    return fail(failed(ec::unavailable, name + ": disk full"));
  return lock;
}

error memory_session::failed(ec code, std::string context) {
  failed_ = open_;
  return {code, std::move(context)};
}

expected<void> memory_session::commit() {
  statement lock{state_->mutex};
  if (!open_ || failed_)
    return fail(ec::rejected, "commit: the transaction is broken or gone");
  if (state_->away)
    connected_ = false;
  const auto loss = std::exchange(state_->loss, std::nullopt);
  if (loss)
    connected_ = false;
  const bool stored = connected_ || loss == connection_loss::at_commit_stored
    || loss == connection_loss::after_commit;
  if (stored) {
    state_->undo.clear();
    ++state_->commits;
  } else {
    state_->roll_back();
  }
  state_->writer = nullptr;
  open_ = false;
  state_->transaction_ended.notify_one();
  if (std::exchange(state_->away_after_commit, false))
    state_->away = true;
  if (connected_ || loss == connection_loss::after_commit)
    return ok();
  return fail(loss == connection_loss::before_commit ? ec::unavailable
                                                     : ec::in_doubt,
              "commit: connection lost");
}

void memory_session::roll_back() noexcept {
  const statement lock{state_->mutex};
  failed_ = false;
  if (!std::exchange(open_, false))
    return;
  state_->roll_back();
  state_->writer = nullptr;
  state_->transaction_ended.notify_one();
}

expected<void> memory_session::reconnect() {
  roll_back();
  const statement lock{state_->mutex};
  connected_ = !state_->away;
  if (!connected_)
    return fail(ec::unavailable, "open: no database");
  return ok();
}

} // namespace weir::test
