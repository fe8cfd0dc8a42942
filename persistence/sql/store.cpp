#include "persistence/sql/store.hpp"

#include "persistence/sql/slot_columns.hpp"

#include <utility>

namespace weir::sql {

namespace {

/// Whatever breaks before the first operation is no operation's fault.
error at_begin(error what) {
  if (what.code == ec::rejected)
    what.code = ec::unavailable;
  return what;
}

} // namespace

std::string now_text(const dialect& speaks) {
  return "SELECT " + std::string{speaks.clock_ms()}
  + " - CAST(value AS BIGINT) FROM meta WHERE key = 'clock_offset'";
}

namespace {

/// Every batch begins with it, so it tells the time as well.
std::string fence_text(const dialect& speaks) {
  return "UPDATE slot SET pos = pos + :positions, beat = beat + 1 "
         "WHERE slot = :slot AND epoch = :epoch AND run = :run "
         "AND pos = :expected RETURNING ("
    + now_text(speaks) + ")";
}

} // namespace

sql_store::sql_store(std::unique_ptr<connection> on)
  : on_{std::move(on)},
    lock_slot_{*on_, "lock slot",
               "SELECT " + std::string{slot_columns}
                 + " FROM slot WHERE slot = :slot"
                 + std::string{on_->speaks().for_update()},
               slot_types},
    slots_{*on_, "slots",
           "SELECT " + std::string{slot_columns} + " FROM slot ORDER BY slot",
           slot_types},
    make_slot_{*on_, "make slot",
               "INSERT INTO slot (slot, owner, epoch, run, beat, pos) "
               "VALUES (:slot, :owner, 1, :run, 0, 0)"},
    take_slot_{*on_, "take slot",
               "UPDATE slot SET owner = :owner, epoch = epoch + 1, "
               "run = :run, beat = beat + 1 WHERE slot = :slot"},
    end_run_{*on_, "end run",
             "UPDATE slot_run SET last_pos = :pos "
             "WHERE slot = :slot AND run = :run"},
    begin_run_{*on_, "begin run",
               "INSERT INTO slot_run (slot, run, first_pos) "
               "VALUES (:slot, :run, :first)"},
    fence_{*on_, "fence", fence_text(on_->speaks()), "i"},
    now_{*on_, "now", now_text(on_->speaks()), "i"},
    add_offset_{*on_, "clock offset",
                "UPDATE meta SET value = CAST(CAST(value AS BIGINT) + :by AS "
                "TEXT) WHERE key = 'clock_offset'"},
    outbox_{*on_},
    waiting_{*on_},
    orderings_{*on_},
    inbox_{*on_},
    keep_{*on_},
    outcomes_{*on_},
    commands_{*on_},
    removals_{*on_},
    realms_{*on_},
    realm_events_{*on_},
    realm_sends_{*on_} {
}

expected<std::optional<slot_row>> sql_store::lock_slot(uint32_t slot) {
  WEIR_TRY(lock_slot_.run(slot));
  WEIR_TRY(auto found, lock_slot_.next());
  std::optional<slot_row> row;
  if (found)
    row = read_slot_row(lock_slot_);
  lock_slot_.done();
  return row;
}

expected<slot_lease>
sql_store::take_locked(uint32_t slot, const std::string& owner, uint64_t run) {
  slot_lease lease{slot, 1, run, 0};
  WEIR_TRY(auto before, lock_slot(slot));
  if (before) {
    lease.epoch = before->epoch + 1;
    lease.pos = before->pos;
    WEIR_TRY(end_run_.run(before->pos, slot, before->run));
    WEIR_TRY(take_slot_.run(owner, run, slot));
  } else {
    WEIR_TRY(make_slot_.run(slot, owner, run));
  }
  WEIR_TRY(begin_run_.run(slot, run, lease.pos + 1));
  return lease;
}

expected<slot_lease>
sql_store::take_slot(uint32_t slot, const std::string& owner, uint64_t run) {
  inbox_.drop_copies();
  WEIR_TRY(on_->begin_writing());
  auto taken = take_locked(slot, owner, run);
  if (taken) {
    auto committed = on_->commit();
    if (committed)
      return taken;
    // To take it once more under another run does no harm.
    taken = fail(at_begin(committed.error()));
    if (taken.error().code == ec::in_doubt)
      taken = fail(ec::unavailable, committed.error().context);
  }
  on_->rollback();
  return taken;
}

expected<std::vector<slot_row>> sql_store::slots() {
  WEIR_TRY(slots_.run());
  std::vector<slot_row> rows;
  while (true) {
    WEIR_TRY(auto found, slots_.next());
    if (!found)
      return rows;
    rows.push_back(read_slot_row(slots_));
  }
}

expected<void> sql_store::begin(const slot_lease& lease, uint64_t positions) {
  auto begun = on_->begin_writing();
  if (!begun)
    return fail(at_begin(begun.error()));
  auto fenced = raise_fence(lease, positions);
  if (fenced && fenced.value())
    return ok();
  on_->rollback();
  if (fenced)
    return fail(ec::superseded, "the slot row is not as this writer left it");
  return fail(at_begin(fenced.error()));
}

/// False when the slot row is not as this writer left it.
expected<bool> sql_store::raise_fence(const slot_lease& lease,
                                      uint64_t positions) {
  WEIR_TRY(
    fence_.run(positions, lease.slot, lease.epoch, lease.run, lease.pos));
  WEIR_TRY(const auto found, fence_.next());
  if (found) {
    // A store without an offset has no time; `now` will say so.
    begun_at_.reset();
    if (!fence_.null(0))
      begun_at_ = fence_.when(0);
  }
  fence_.done();
  return found;
}

expected<stored_time> sql_store::now() {
  if (const auto told = std::exchange(begun_at_, std::nullopt))
    return *told;
  WEIR_TRY(now_.run());
  WEIR_TRY(auto found, now_.next());
  if (!found)
    return fail(ec::corrupt, "now: no clock offset is stored");
  const auto when = now_.when(0);
  now_.done();
  return when;
}

expected<void> sql_store::add_clock_offset(milliseconds by) {
  begun_at_.reset();
  return add_offset_.run(by.count());
}

expected<void> sql_store::commit() {
  return on_->commit();
}

void sql_store::rollback() noexcept {
  begun_at_.reset();
  on_->rollback();
}

expected<void> sql_store::reconnect() {
  inbox_.drop_copies();
  return on_->open();
}

expected<std::optional<slot_row>> sql_store::read_slot(uint32_t slot) {
  WEIR_TRY(on_->begin_writing());
  auto row = lock_slot(slot);
  on_->rollback();
  return row;
}

expected<void> sql_store::tidy(size_t pages_max) {
  // PostgreSQL has its own cleaner.
  if (on_->speaks().postgresql)
    return ok();
  WEIR_TRY(on_->script("PRAGMA incremental_vacuum(" + std::to_string(pages_max)
                       + ")"));
  // Passive when a reader holds the log: waiting for one would hold up all.
  return on_->script("PRAGMA busy_timeout = 0;"
                     "PRAGMA wal_checkpoint(TRUNCATE);"
                     "PRAGMA busy_timeout = 5000;");
}

} // namespace weir::sql
