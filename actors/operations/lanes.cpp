#include "actors/operations/lanes.hpp"

#include "actors/operations/pin_next.hpp"
#include "actors/policy/last_words.hpp"
#include "schema/hash.hpp"

#include <algorithm>
#include <utility>

namespace weir::operations {

namespace {

/// Rows read at once to make room: more than one accept brings mostly.
constexpr size_t drop_page_rows = 16;

bool is_value(lane kind) {
  return kind == lane::device_lists || kind == lane::key_counts;
}

/// Takes waiting rows out of the store and the counts.
expected<void> remove_waiting(store& db, queue_row& queue,
                              std::span<const waiting_row> rows) {
  if (rows.empty())
    return ok();
  std::vector<uint64_t> arrivals;
  for (const auto& row : rows) {
    arrivals.push_back(row.arrival);
    queue.waiting_bytes -= row.bytes.size();
  }
  queue.waiting -= rows.size();
  WEIR_TRY(auto removed, db.waiting().remove(queue.no, arrivals));
  if (removed != rows.size())
    return fail(ec::corrupt,
                "appservice " + queue.id.value + ": waiting rows are missing");
  return ok();
}

/// The elements of one accept on their way into the store.
class intake {
public:
  intake(store& db, const batch_context& batch, queue_row& queue, bool alone)
    : db_{db},
      now_{batch.now},
      queue_{queue},
      alone_{alone},
      came_with_{queue.next_seq} {
  }

  expected<void> take(std::span<const element* const> chosen) {
    for (const auto* item : chosen) {
      if (item->kind == lane::ephemeral)
        take_ephemeral(*item);
      else if (is_value(item->kind) && !alone_) {
        WEIR_TRY(take_value(*item));
      } else {
        add_row(*item);
      }
    }
    if (!rows_.empty()) {
      WEIR_TRY(db_.outbox().append(queue_.no, rows_));
    }
    return replace_waiting();
  }

  std::vector<waiting_row> fresh() {
    return std::move(fresh_);
  }

private:
  void add_row(element item) {
    (item.kind == lane::event ? queue_.owed_events : queue_.owed_others) += 1;
    queue_.owed_bytes += item.bytes.size();
    rows_.push_back(
      {queue_.next_seq++, came_with_, alone_, std::move(item), now_});
  }

  void take_ephemeral(const element& item) {
    said_.push_back(policy::read_ephemeral(item.keys, item.bytes));
    if (alone_)
      add_row(item);
    else
      fresh_.push_back({0, said_.back().subject, now_, item.keys, item.bytes});
  }

  /// Behind the pin; nothing is read when nothing can be there.
  expected<void> read_values() {
    if (std::exchange(has_read_, true))
      return ok();
    const auto& pinned = queue_.pinned;
    if (queue_.owed_others > (pinned ? pinned->others : 0)) {
      WEIR_TRY(values_,
               db_.outbox().read_values(
                 queue_.no, pinned ? last_seq(*pinned) : queue_.acked,
                 limits::merged_values_max));
    }
    return ok();
  }

  expected<void> take_value(const element& item) {
    WEIR_TRY(read_values());
    std::vector<policy::owed_value> owed;
    for (const auto& row : values_)
      owed.push_back({row.item.kind, row.item.keys, row.item.bytes, row.alone});
    const auto merged
      = policy::merge_value(item.kind, item.keys, item.bytes, owed);
    for (const auto& each : merged.owed) {
      auto& row = values_[each.index];
      queue_.owed_bytes += each.bytes.size();
      queue_.owed_bytes -= row.item.bytes.size();
      row.item.bytes = each.bytes;
      WEIR_TRY(db_.outbox().rewrite(queue_.no, row.seq, each.bytes));
    }
    if (merged.rest.empty()) {
      ++queue_.merged;
      return ok();
    }
    auto rest = item;
    rest.bytes = merged.rest;
    add_row(std::move(rest));
    return ok();
  }

  /// Takes out what is said anew by what has come.
  expected<void> replace_waiting() {
    std::vector<waiting_row> before;
    std::vector<uint64_t> subjects;
    for (const auto& each : said_)
      if (!each.words.empty())
        subjects.push_back(each.subject);
    if (queue_.waiting > 0 && !subjects.empty()) {
      WEIR_TRY(before, db_.waiting().about(queue_.no, subjects));
    }
    std::vector<policy::ephemeral_content> all;
    all.reserve(before.size() + said_.size());
    for (const auto& row : before)
      all.push_back(policy::read_ephemeral(row.keys, row.bytes));
    all.insert(all.end(), said_.begin(), said_.end());
    const auto again = policy::said_again(all);
    std::vector<waiting_row> replaced;
    for (size_t i = 0; i < before.size(); ++i)
      if (again[i])
        replaced.push_back(std::move(before[i]));
    std::vector<waiting_row> left;
    for (size_t i = 0; i < fresh_.size(); ++i)
      if (!again[before.size() + i])
        left.push_back(std::move(fresh_[i]));
    queue_.merged += replaced.size() + fresh_.size() - left.size();
    fresh_ = std::move(left);
    return remove_waiting(db_, queue_, replaced);
  }

  store& db_;
  stored_time now_;
  queue_row& queue_;
  bool alone_;
  uint64_t came_with_;
  std::vector<owed_row> rows_;
  std::vector<waiting_row> fresh_;
  std::vector<policy::ephemeral_content> said_; ///< Of each ephemeral element.
  bool has_read_ = false;
  std::vector<owed_row> values_; ///< That may be put into.
};

bool over_bounds(const queue_row& queue, const policy::lane_rules& rules) {
  return queue.waiting > rules.waiting_max
    || queue.waiting_bytes > limits::ephemeral_waiting_bytes_max;
}

/// Drops some of the oldest of a queue that is over its bounds.
expected<void> drop_oldest(store& db, queue_row& queue,
                           const policy::lane_rules& rules) {
  const auto too_many
    = queue.waiting - std::min(queue.waiting, rules.waiting_max);
  WEIR_TRY(
    auto oldest,
    db.waiting().oldest(queue.no, std::max<size_t>(too_many, drop_page_rows)));
  std::vector<uint64_t> sizes;
  for (const auto& row : oldest)
    sizes.push_back(row.bytes.size());
  const auto gone = policy::beyond_bounds(
    sizes, queue.waiting, queue.waiting_bytes, rules.waiting_max,
    limits::ephemeral_waiting_bytes_max);
  if (gone == 0)
    return fail(ec::corrupt,
                "appservice " + queue.id.value
                  + ": the count of waiting rows is wrong");
  queue.dropped += gone;
  return remove_waiting(db, queue, std::span{oldest}.first(gone));
}

} // namespace

expected<std::vector<waiting_row>>
take_in(store& db, const batch_context& batch, queue_row& queue,
        std::span<const element* const> chosen) {
  const bool alone
    = std::any_of(chosen.begin(), chosen.end(),
                  [](const auto* item) { return item->kind == lane::other; });
  intake into{db, batch, queue, alone};
  WEIR_TRY(into.take(chosen));
  return into.fresh();
}

expected<void> keep_waiting(store& db, queue_row& queue,
                            std::vector<waiting_row> fresh,
                            const policy::lane_rules& rules) {
  for (auto& row : fresh) {
    row.arrival = queue.next_seq++;
    queue.waiting_bytes += row.bytes.size();
  }
  queue.waiting += fresh.size();
  WEIR_TRY(db.waiting().add(queue.no, fresh));
  while (true) {
    if (!over_bounds(queue, rules))
      return ok();
    WEIR_TRY(drop_oldest(db, queue, rules));
  }
}

expected<std::vector<waiting_row>> drop_old(store& db,
                                            const batch_context& batch,
                                            queue_row& queue,
                                            const policy::lane_rules& rules) {
  std::vector<waiting_row> young;
  if (queue.waiting == 0)
    return young;
  std::vector<waiting_row> old;
  WEIR_TRY(auto rows, db.waiting().oldest(queue.no, queue.waiting));
  for (auto& row : rows) {
    const auto is_old
      = policy::too_old(policy::read_ephemeral(row.keys, row.bytes),
                        row.accepted_at, batch.now, rules);
    (is_old ? old : young).push_back(std::move(row));
  }
  queue.dropped += old.size();
  WEIR_TRY(remove_waiting(db, queue, old));
  return young;
}

expected<void> drop_old_rows(store& db, const batch_context& batch,
                             queue_row& queue, const policy::lane_rules& rules,
                             std::vector<owed_row>& rows) {
  std::vector<lane_range> old;
  std::erase_if(rows, [&](const owed_row& row) {
    if (row.item.kind != lane::ephemeral
        || !policy::too_old(
          policy::read_ephemeral(row.item.keys, row.item.bytes),
          row.accepted_at, batch.now, rules))
      return false;
    old.push_back({lane::ephemeral, row.seq, row.seq});
    queue.owed_bytes -= row.item.bytes.size();
    return true;
  });
  if (old.empty())
    return ok();
  queue.owed_others -= old.size();
  queue.dropped += old.size();
  WEIR_TRY(auto removed, db.outbox().remove(queue.no, old));
  if (removed != old.size())
    return fail(ec::corrupt,
                "appservice " + queue.id.value + ": owed rows are missing");
  return ok();
}

expected<std::vector<owed_row>>
move_to_outbox(store& db, queue_row& queue, std::span<const waiting_row> chosen,
               size_t stored) {
  std::vector<owed_row> rows;
  for (const auto& each : chosen) {
    const auto seq = queue.next_seq++;
    element item{
      lane::ephemeral, each.keys, each.bytes, {}, sha256_head(each.bytes)};
    queue.owed_others += 1;
    queue.owed_bytes += each.bytes.size();
    rows.push_back({seq, seq, false, std::move(item), each.accepted_at});
  }
  if (!rows.empty()) {
    WEIR_TRY(db.outbox().append(queue.no, rows));
  }
  WEIR_TRY(
    remove_waiting(db, queue, chosen.first(std::min(stored, chosen.size()))));
  return rows;
}

} // namespace weir::operations
