#include "persistence/sql/seen_window.hpp"

#include <algorithm>

namespace weir::sql {

namespace {

/// Copies are bounded to some 30 MB: twenty full windows. Beyond that the one
/// that was not asked for the longest goes, and costs some milliseconds when it
/// is asked for again.
constexpr size_t held_max = 2'000'000;

} // namespace

std::vector<uint64_t> unpack_words(std::string_view packed) {
  std::vector<uint64_t> words(packed.size() / 8, 0);
  for (size_t at = 0; at < words.size() * 8; ++at)
    words[at / 8] = words[at / 8] << 8 | static_cast<unsigned char>(packed[at]);
  return words;
}

seen_window::seen_window(connection& on)
  : on_{on},
    ends_{on, "seen ends",
          "SELECT (SELECT min(arrival) FROM seen_event "
          "WHERE appservice = :appservice), arrival + count, at "
          "FROM seen_event WHERE appservice = :appservice "
          "ORDER BY arrival DESC LIMIT 1",
          "iii"},
    load_{on, "load seen",
          "SELECT hashes FROM seen_event WHERE appservice = :appservice", "b"},
    append_{on, "remember seen",
            "INSERT INTO seen_event (appservice, arrival, count, at, hashes) "
            "VALUES (:appservice, :arrival, :count, :at, "
              + on.speaks().bytes(":hashes") + ")"},
    oldest_{on, "oldest seen",
            "SELECT arrival, count, at FROM seen_event "
            "WHERE appservice = :appservice ORDER BY arrival LIMIT :max",
            "iii"},
    remove_{on, "forget seen",
            "DELETE FROM seen_event "
            "WHERE appservice = :appservice AND arrival < :first"},
    shorten_{on, "shorten seen",
             "UPDATE seen_event SET arrival = arrival + :by, "
             "count = count - :by, "
             "hashes = substr(hashes, CAST(8 * :by + 1 AS INTEGER)) "
             "WHERE appservice = :appservice AND arrival = :arrival"} {
}

expected<seen_window::ends> seen_window::read_ends(queue_no queue) {
  WEIR_TRY(ends_.run(queue));
  WEIR_TRY(const auto found, ends_.next());
  ends at;
  if (found)
    at = {ends_.count(0), ends_.count(1), ends_.when(2)};
  ends_.done();
  return at;
}

expected<seen_window::copy> seen_window::load(queue_no queue, ends at) {
  copy made;
  made.at = at;
  made.hashes.reserve(at.next - at.first);
  WEIR_TRY(load_.run(queue));
  while (true) {
    WEIR_TRY(const auto found, load_.next());
    if (!found)
      return made;
    for (const auto hash : unpack_words(load_.text(0)))
      made.hashes.insert(hash);
  }
}

expected<seen_window::copy*> seen_window::up_to_date(queue_no queue) {
  make_room();
  auto found = copies_.find(queue);
  // Nobody else writes while our transaction is open.
  if (found != copies_.end() && found->second.checked_in == on_.transaction())
    return &found->second;
  WEIR_TRY(const auto at, read_ends(queue));
  if (found != copies_.end() && found->second.at != at) {
    held_ -= found->second.hashes.size();
    copies_.erase(found);
    found = copies_.end();
  }
  if (found == copies_.end()) {
    WEIR_TRY(auto made, load(queue, at));
    held_ += made.hashes.size();
    found = copies_.emplace(queue, std::move(made)).first;
  }
  found->second.used = ++uses_;
  found->second.checked_in = on_.transaction();
  return &found->second;
}

void seen_window::make_room() {
  while (held_ > held_max && !copies_.empty()) {
    const auto oldest = std::min_element(copies_.begin(), copies_.end(),
                                         [](const auto& a, const auto& b) {
                                           return a.second.used < b.second.used;
                                         });
    held_ -= oldest->second.hashes.size();
    copies_.erase(oldest);
  }
}

expected<std::vector<uint64_t>>
seen_window::find(queue_no queue, std::span<const uint64_t> hashes) {
  std::vector<uint64_t> seen;
  if (hashes.empty())
    return seen;
  WEIR_TRY(const auto* known, up_to_date(queue));
  for (const auto hash : hashes) {
    if (known->hashes.contains(hash))
      seen.push_back(hash);
  }
  return seen;
}

expected<void> seen_window::remember(queue_no queue,
                                     std::span<const uint64_t> hashes,
                                     stored_time now) {
  if (hashes.empty())
    return ok();
  WEIR_TRY(auto* known, up_to_date(queue));
  std::vector<uint64_t> fresh;
  for (const auto hash : hashes) {
    if (known->hashes.insert(hash).second)
      fresh.push_back(hash);
  }
  if (fresh.empty())
    return ok();
  const auto arrival = known->at.next;
  known->at.next += fresh.size();
  known->at.newest = now;
  held_ += fresh.size();
  return append_.run(queue, arrival, fresh.size(), now,
                     raw_bytes{pack_words(fresh)});
}

expected<uint64_t> seen_window::forget(queue_no queue, stored_time before,
                                       size_t keep_max, size_t events_max) {
  WEIR_TRY(const auto at, read_ends(queue));
  const uint64_t events = at.next - at.first;
  const uint64_t too_many = events > keep_max ? events - keep_max : 0;
  WEIR_TRY(oldest_.run(queue, as_count(events_max)));
  uint64_t forgotten = 0;
  uint64_t row = at.first;
  while (true) {
    WEIR_TRY(const auto found, oldest_.next());
    if (!found)
      break;
    row = oldest_.count(0);
    const auto size = oldest_.count(1);
    auto going = oldest_.when(2) < before
      ? size
      : std::min(size, too_many > forgotten ? too_many - forgotten : 0);
    going = std::min<uint64_t>(going, events_max - forgotten);
    forgotten += going;
    if (going < size)
      break;
    row += size;
  }
  oldest_.done();
  if (forgotten == 0)
    return forgotten;
  if (const auto known = copies_.find(queue); known != copies_.end())
    known->second.checked_in = 0;
  WEIR_TRY(remove_.run(queue, row));
  if (const auto by = at.first + forgotten - row; by > 0) {
    WEIR_TRY(shorten_.run(by, queue, row));
  }
  return forgotten;
}

void seen_window::clear() {
  copies_.clear();
  held_ = 0;
}

} // namespace weir::sql
