#include "persistence/batch.hpp"

#include "schema/limits.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>

namespace weir {

namespace {

/// A larger difference of the two clocks is somebody setting the time.
constexpr milliseconds clock_jump_min{1'000};
/// A connection that fell silent at COMMIT keeps the slot's row locked until
/// the server ends it after 3 s; each try waits 2 s for the lock.
constexpr int resolve_tries = 3;
/// How long a batch is cut into halves while the database refuses each for its
/// own reasons (a full disk, a lock): then it counts as away.
constexpr milliseconds splitting_max = limits::operation_deadline;

uint64_t positions_of(std::span<batch_operation*> operations) {
  uint64_t rows = 0;
  for (const auto* each : operations)
    rows += each->feed_rows;
  return std::max<uint64_t>(rows, 1);
}

void settle_all(std::span<batch_operation*> operations,
                const expected<void>& with) {
  for (const auto* each : operations) {
    if (each->settle)
      each->settle(with);
  }
}

} // namespace

milliseconds boot_time() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::duration_cast<milliseconds>(
    std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec});
}

batch_runner::batch_runner(store& target, slot_lease lease)
  : store_{target},
    lease_{lease} {
}

expected<void> batch_runner::run(std::span<batch_operation> operations) {
  std::vector<batch_operation*> sorted;
  sorted.reserve(operations.size());
  for (auto& each : operations)
    sorted.push_back(&each);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const batch_operation* a, const batch_operation* b) {
                     return a->key < b->key;
                   });
  away_ = false;
  may_reconnect_ = true;
  started_ = elapsed_clock();
  // An older doubt first: until it is resolved our position is not known.
  if (doubt_ && !superseded_) {
    auto resolved = resolve();
    away_ = !resolved && resolved.error().code != ec::superseded;
  }
  auto done = work(sorted);
  if (done && away_)
    return fail(ec::unavailable, "the database is away");
  return done;
}

expected<void> batch_runner::work(operations_view operations) {
  if (superseded_ || away_) {
    settle_all(operations,
               fail(ec::unavailable,
                    superseded_ ? "superseded" : "the database is away"));
    if (superseded_)
      return fail(ec::superseded, "this writer was superseded");
    return ok();
  }
  auto result = attempt(operations);
  if (result.what.code == ec::none) {
    settle_all(operations, ok());
    return ok();
  }
  if (superseded_)
    return work(operations);
  if (result.what.code == ec::unavailable
      && elapsed_clock() - started_ > splitting_max)
    result.of_operation = false;
  if (!result.of_operation || operations.size() <= 1) {
    away_ = !result.of_operation;
    settle_all(operations, fail(result.what));
    return ok();
  }
  const auto half = operations.size() / 2;
  // Both, also after the first was superseded: all must be settled.
  auto first = work(operations.first(half));
  auto second = work(operations.subspan(half));
  return first ? second : first;
}

batch_runner::outcome batch_runner::attempt(operations_view operations) {
  const auto positions = positions_of(operations);
  auto result = transaction(operations, positions);
  while (result.what.code == ec::in_doubt) {
    auto resolved = resolve();
    if (!resolved)
      return {superseded_ ? resolved.error() : result.what, false};
    if (resolved.value())
      return {};
    if (!std::exchange(may_reconnect_, false))
      return {{ec::unavailable, "commit: connection lost again"}, false};
    result = transaction(operations, positions);
  }
  if (result.what.code == ec::unavailable && reconnect_once())
    return attempt(operations);
  if (result.what.code == ec::superseded)
    superseded_ = true;
  return result;
}

batch_runner::outcome batch_runner::transaction(operations_view operations,
                                                uint64_t positions) {
  const auto step = [this](batch_step at) {
    if (on_step)
      on_step(at);
  };
  asked_ = elapsed_clock();
  auto done = store_.begin(lease_, positions);
  if (!done)
    return {done.error(), false};
  step(batch_step::begun);
  done = run_all(operations);
  if (!done) {
    store_.rollback();
    return {done.error(), true};
  }
  step(batch_step::ran);
  done = store_.commit();
  if (!done && done.error().code == ec::in_doubt) {
    doubt_ = positions;
    return {done.error(), false};
  }
  if (!done) {
    store_.rollback();
    // Refused as a whole, it may hold one bad operation; and SQLite meets a
    // full disk only here, where less may still fit.
    return {done.error(), true};
  }
  committed(positions);
  step(batch_step::committed);
  return {};
}

expected<void> batch_runner::run_all(operations_view operations) {
  WEIR_TRY(const auto now, time_of_batch());
  batch_context context{lease_.slot, lease_.run, lease_.pos, now};
  for (auto* each : operations) {
    const uint64_t promised = context.pos + each->feed_rows;
    WEIR_TRY(each->run(store_, context));
    WEIR_ASSERT(context.pos <= promised);
    context.pos = promised;
  }
  return ok();
}

/// A reply that was slow to come is no jump: the database read its clock at
/// some time between our two looks, in the last batch as in this one.
expected<stored_time> batch_runner::time_of_batch() {
  WEIR_TRY(auto now, store_.now());
  const auto told = elapsed_clock();
  jump_ = milliseconds{0};
  if (last_time_) {
    const auto earliest = last_time_->now + (asked_ - last_time_->told);
    const auto latest = last_time_->now + (told - last_time_->asked);
    const auto due = std::clamp(now, earliest, latest);
    const auto jump = now - due;
    if (std::abs(jump.count()) > clock_jump_min.count()) {
      WEIR_TRY(store_.add_clock_offset(jump));
      jump_ = jump;
      now = due;
    }
    now = std::max(now, last_time_->now);
  }
  time_ = {asked_, told, now};
  return now;
}

void batch_runner::committed(uint64_t positions) {
  lease_.pos += positions;
  last_time_ = time_;
  doubt_.reset();
  if (jump_.count() != 0 && on_clock_jump)
    on_clock_jump(jump_);
  jump_ = milliseconds{0};
}

/// Whether the batch in doubt had committed. Errors: `ec::superseded`;
/// `ec::unavailable` while nobody can tell.
expected<bool> batch_runner::resolve() {
  expected<std::optional<slot_row>> found
    = fail(ec::unavailable, "never asked");
  for (int tries = 0; tries < resolve_tries && !found; ++tries) {
    WEIR_TRY(store_.reconnect());
    found = store_.read_slot(lease_.slot);
  }
  WEIR_TRY(const auto row, std::move(found));
  const bool ours = row && row->epoch == lease_.epoch && row->run == lease_.run;
  if (ours && row->pos == lease_.pos + *doubt_) {
    committed(*doubt_);
    if (on_in_doubt)
      on_in_doubt(true);
    return true;
  }
  if (!ours || row->pos != lease_.pos) {
    superseded_ = true;
    return fail(ec::superseded, "the slot row is not as this writer left it");
  }
  doubt_.reset();
  if (on_in_doubt)
    on_in_doubt(false);
  return false;
}

bool batch_runner::reconnect_once() {
  return std::exchange(may_reconnect_, false) && store_.reconnect();
}

} // namespace weir
