#pragma once

#include "persistence/store.hpp"
#include "schema/error.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace weir {

/// One unit of work inside a batch. `run` executes statements and keeps its
/// result for itself; `settle` is called exactly once, after the commit or
/// with the error, and answers whoever asked. Refusals (duplicate, not current)
/// are results of `run`, not errors.
///
/// `run` may be called several times (halves, a lost connection, an in-doubt
/// commit that was none): each call must begin from the rows alone and
/// overwrite the result of the one before. Only the last call counts.
struct batch_operation {
  /// Rows are locked in this order, so that two batches cannot deadlock:
  /// `appservice/ID`. Operations on one key run in the order they came in.
  std::string key;
  /// How many rows of the outcome feed it may write, at most. Their positions
  /// are its own: `run` takes each by `++context.pos`.
  uint64_t feed_rows = 0;
  std::function<expected<void>(store&, batch_context&)> run;
  std::function<void(const expected<void>&)> settle;
};

/// Tells a test or the crash campaign where a batch is. Never set in service.
enum class batch_step { begun, ran, committed };

/// CLOCK_BOOTTIME: counts also while the machine sleeps, and does not jump when
/// somebody sets the time.
milliseconds boot_time();

/// Runs batches on one store by the rules of docs/store.md: the slot row first,
/// halves after a failure down to the operation that fails, in-doubt commits
/// resolved by reading the slot. Belongs to one writer; blocks.
class batch_runner {
public:
  batch_runner(store& target, slot_lease lease);

  /// Runs all operations and settles each: with `ec::unavailable` when the
  /// database is out of reach or its disk is full, with `ec::in_doubt` when it
  /// went at COMMIT and did not come back, else with what its `run` gave. No
  /// operation at all is a beat of the slot.
  ///
  /// Errors: `ec::superseded`: what had not committed was settled with
  /// `ec::unavailable`, and the runner must not be used again.
  /// `ec::unavailable`: the database is away, try again later.
  expected<void> run(std::span<batch_operation> operations);

  [[nodiscard]] const slot_lease& lease() const noexcept {
    return lease_;
  }

  /// Monotonic time since some fixed moment, counted also while the machine
  /// sleeps; a seam for tests. `boot_time` unless set.
  std::function<milliseconds()> elapsed_clock = boot_time;
  /// Called with each clock jump that was absorbed, once it is committed.
  std::function<void(milliseconds)> on_clock_jump;
  /// Called with each commit that was in doubt, and whether it had committed.
  std::function<void(bool)> on_in_doubt;
  /// Called between the steps of each transaction.
  std::function<void(batch_step)> on_step;

private:
  using operations_view = std::span<batch_operation*>;
  /// What one transaction came to. `ec::none` is committed.
  struct outcome {
    error what;
    /// The failure came while operations ran: fewer of them may succeed.
    bool of_operation = false;
  };

  /// What the database's clock told, and between which looks at ours.
  struct moment {
    milliseconds asked{0};
    milliseconds told{0};
    stored_time now;
  };

  expected<void> work(operations_view operations);
  outcome attempt(operations_view operations);
  outcome transaction(operations_view operations, uint64_t positions);
  expected<void> run_all(operations_view operations);
  expected<stored_time> time_of_batch();
  void committed(uint64_t positions);
  expected<bool> resolve();
  bool reconnect_once();

  store& store_;
  slot_lease lease_;
  /// The last batch's moment on both clocks.
  std::optional<moment> last_time_;
  /// The same of the open batch, and the jump it absorbs.
  moment time_;
  milliseconds asked_{0}; ///< When the open batch was begun, by our clock.
  milliseconds jump_{0};
  /// Positions of a batch whose COMMIT was never answered.
  std::optional<uint64_t> doubt_;
  milliseconds started_{0};
  bool superseded_ = false;
  bool away_ = false;
  bool may_reconnect_ = true;
};

} // namespace weir
