#pragma once

#include "persistence/store.hpp"
#include "schema/error.hpp"

#include <functional>
#include <span>
#include <string>

namespace weir {

/// One unit of work inside a batch. `run` executes statements and keeps its
/// result for itself; `settle` is called exactly once, after the commit or
/// with the error, and answers whoever asked. Refusals (duplicate, not current)
/// are results of `run`, not errors.
struct batch_operation {
  /// Rows are locked in this order, so that two batches cannot deadlock:
  /// `appservice/ID`. Operations on one key run in the order they came in.
  std::string key;
  /// How many rows of the outcome feed it may write, at most.
  uint64_t feed_rows = 0;
  std::function<expected<void>(store&, batch_context&)> run;
  std::function<void(const expected<void>&)> settle;
};

/// Tells a test or the crash campaign where a batch is. Never set in service.
enum class batch_step { begun, ran, committed };

/// Runs batches on one store by the rules of docs/store.md: the slot row first,
/// halves after a failure down to the operation that fails, in-doubt commits
/// resolved by reading the slot. Belongs to one writer; blocks.
class batch_runner {
public:
  batch_runner(store& target, slot_lease lease);

  /// Runs all operations and settles each. After `ec::superseded` every
  /// operation was settled with `ec::unavailable` and the runner must not be
  /// used again. A jump of the database's clock of more than a second against
  /// `elapsed_clock` is added to the stored offset in the batch that meets it.
  expected<void> run(std::span<batch_operation> operations);

  [[nodiscard]] const slot_lease& lease() const noexcept {
    return lease_;
  }

  /// Monotonic time since some fixed moment, counted also while the machine
  /// sleeps (CLOCK_BOOTTIME); set by the owner, a seam for tests.
  std::function<milliseconds()> elapsed_clock;
  /// Called with each clock jump that was absorbed.
  std::function<void(milliseconds)> on_clock_jump;
  /// Called with each commit that was in doubt, and whether it had committed.
  std::function<void(bool)> on_in_doubt;

private:
  expected<void> attempt(std::span<batch_operation> operations);
  expected<void> execute(std::span<batch_operation> operations,
                         uint64_t positions);
  expected<bool> committed_after_all(uint64_t positions);
  expected<stored_time> time_of_batch();

  store& store_;
  slot_lease lease_;
  std::optional<std::pair<milliseconds, stored_time>> last_time_;
};

} // namespace weir
