#include "schema/limits.hpp"
#include "tests/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>

// The store and its clock: what is done to them, and what is seen of them.
namespace weir::sim {

namespace {

/// So long a start takes, or a writer to have a store again,
constexpr milliseconds start_takes{2'000};
/// and so much longer when it is refused: the next scan tries again.
constexpr milliseconds scan_every{5'000};
/// By then some commit has met a flush that was told to fail.
constexpr milliseconds flush_wait{20'000};
/// By then a writer whose commit was lost has a store again.
constexpr milliseconds writer_trouble{1'000};
/// So much above its bound may a queue be: one transaction goes in whole.
constexpr uint64_t one_transaction = 200;
/// More than any element has.
constexpr uint64_t element_bytes_max = 5'000;
/// So long rests a queue that found no room for a dead letter.
constexpr milliseconds letter_trouble{70'000};

/// Then old ones may be left, and be pinned (ADR 25).
bool gave_up_all_it_may(const appservice_id& of, const batch_content& content) {
  const auto given_up = std::count_if(
    content.burials.begin(), content.burials.end(), [&](const auto& each) {
      return each.appservice == of && each.reason == "too_old";
    });
  return static_cast<size_t>(given_up) >= limits::overflow_rows_max;
}

} // namespace

void world::act_on_store(const entry& line) {
  // A slot that cannot be taken at the start is the next scan's to try again.
  if (line.what == act::flush_fails && (!node_ || batches_ == 0))
    return;
  met(line.what);
  const milliseconds lasts{line.amount};
  switch (line.what) {
  case act::flush_fails:
    store_->fail_next_flush();
    flush_asked_ = now_;
    break;
  case act::database_away:
    away_until_ = std::max(away_until_, now_ + lasts);
    break;
  case act::disk_full:
    full_until_ = std::max(full_until_, now_ + lasts);
    store_->set_full(true);
    break;
  default: return move_clock(lasts);
  }
  store_well_since_ = std::max(store_well_since_, moves_by(now_));
  trouble(store_well_since_);
}

/// By then a node that is there `from` some moment on moves what it owes. A
/// store that is away or full refuses it, and once more by a flush that is yet
/// to fail.
milliseconds world::moves_by(milliseconds from) const {
  const auto well = std::max(away_until_, full_until_);
  const bool is_refused = from < well;
  const bool flush_may_fail = flush_asked_.count() > 0
    && now_ < std::max(flush_asked_, well) + flush_wait;
  return std::max(from, well) + start_takes
    + scan_every * (int{is_refused} + int{flush_may_fail});
}

void world::move_clock(milliseconds by) {
  clock_moved_ += by;
  clock_was_moved_ = true;
  lanes_.clock_moved();
  ledger_.ages_unknown();
  for (auto& each : sides_)
    each->peer.add_dates();
  move_unseen_ = true;
  if (!node_ || batches_ == 0)
    miss_move();
}

/// The next one knows the time of its first batch and none before.
void world::lose_writer() {
  batches_ = 0;
  miss_move();
}

/// Nobody is left who could tell that the clock was moved.
void world::miss_move() {
  if (!std::exchange(move_unseen_, false))
    return;
  ledger_.wishes_lost();
  trouble(now_ + milliseconds{1'200'000});
}

bool world::is_away() {
  return node_ended_ || now_ < away_until_;
}

commit_fate world::before_commit(const batch_content& content) {
  const auto steps = content.steps();
  if (takes(act::crash_before_commit, steps))
    return commit_fate::node_ends_before;
  if (takes(act::crash_after_commit, steps))
    return commit_fate::node_ends_after;
  if (takes(act::power_cut_before_commit, steps)) {
    power_cut_ = true;
    return commit_fate::node_ends_before;
  }
  if (takes(act::power_cut_after_commit, steps)) {
    power_cut_ = true;
    return commit_fate::node_ends_after;
  }
  if (takes(act::commit_lost, steps)) {
    lose_commit();
    return commit_fate::lost;
  }
  if (takes(act::commit_answer_lost, steps))
    return commit_fate::answer_lost;
  return commit_fate::commits;
}

/// One is made good by the writer itself. Twice at once, and whoever wanted
/// something stored is told that it is not.
void world::lose_commit() {
  if (std::exchange(commit_lost_at_, now_) == now_)
    store_well_since_ = std::max(store_well_since_, now_ + writer_trouble);
}

void world::committed(const batch_content& content) {
  take_commit(content);
  for (const auto& row : content.rows)
    if (content.pins(row)) {
      const auto index = std::stoul(row.id.value.substr(1));
      lanes_.pinned(index, row.pinned->id.value, now_);
      if (!gave_up_all_it_may(row.id, content))
        ledger_.pinned(index, row.pinned->id.value, now_);
    }
}

/// What is given up at a bound, and not for what a bridge says of it, was
/// allowed to go and is in no pin.
void world::check_burial(size_t bridge, const batch_content::burial& of,
                         const std::vector<queue_row>& rows) {
  const auto& promised = promised_[bridge];
  const bool is_full = of.reason == "queue_full";
  const bool is_old = of.reason == "too_old";
  if (!is_full && !is_old)
    return;
  if (is_full ? !promised.gives_up_oldest
              : promised.age_max.count() == 0 || of.kind != lane::event)
    ledger_.report("given up with cause", of.reason);
  if (is_old)
    ledger_.outlived(bridge, of.bytes, now_);
  for (const auto& row : rows)
    if (row.id == of.appservice && is_pinned(row, of.kind, of.seq))
      ledger_.report(
        "a pin is kept",
        fmt::format("{} of {} is a dead letter", of.seq, of.appservice.value));
}

void world::take_commit(const batch_content& content) {
  ++batches_;
  move_unseen_ = false;
  const auto bridge_called = [](std::string_view id) {
    return static_cast<size_t>(std::stoul(std::string{id.substr(1)}));
  };
  for (const auto& row : content.rows) {
    const auto bound
      = plan_.bridges[bridge_called(row.id.value)].queue_elements_max;
    const auto owed = row.owed_events + row.owed_others;
    if (bound > 0 && owed > bound + one_transaction)
      ledger_.report("bounds", fmt::format("{} owes {}", row.id.value, owed));
    if (row.waiting > promised_[bridge_called(row.id.value)].waiting_max)
      ledger_.report("bounds",
                     fmt::format("{} wait for {}", row.waiting, row.id.value));
  }
  for (const auto& burial : content.burials) {
    const auto index = bridge_called(burial.appservice.value);
    check_burial(index, burial, content.rows);
    sides_[index]->letters[burial.letter] = burial.kind;
    if (!lanes_.buried(index, burial.bytes))
      ledger_.buried(index, burial.bytes);
  }
  if (letter_room_ > 0 && now_ < plan_.ends
      && content.letter_bytes > letter_room_)
    ledger_.report(
      "bounds",
      fmt::format("dead letters have {} bytes", content.letter_bytes));
  for (const auto& [id, seq] : content.passed_over)
    ledger_.report("the oldest goes first",
                   fmt::format("{} of {} was passed over", seq, id));
  take_operations(content);
  for (const auto& end : content.ends) {
    const auto index = bridge_called(std::string_view{end.queue}.substr(
      std::string_view{"appservice/"}.size()));
    note(fmt::format("{} {} {}", end.result, index, end.id));
    ledger_.ended(index, end.id, end.result);
    sides_[index]->was_cut = end.result == "retired";
  }
}

/// Who finds no room for a dead letter waits, and keeps what is too old.
uint64_t world::letters_held(uint64_t bytes) {
  if (letter_room_ == 0 || now_ >= plan_.ends)
    return bytes;
  if (bytes + element_bytes_max > letter_room_) {
    trouble(now_ + letter_trouble);
    ledger_.ages_unknown();
  }
  return bytes + limits::dead_letter_bytes_max - letter_room_;
}

void world::doubted(const batch_content& content, uint64_t position) {
  doubt_ = doubt{content, position};
}

void world::found(uint64_t position) {
  if (!doubt_)
    return;
  const auto was = std::move(*doubt_);
  doubt_.reset();
  if (position >= was.position)
    take_commit(was.content);
}

} // namespace weir::sim
