#include "actors/policy/repeats.hpp"

#include <boost/describe/enum_to_string.hpp>

#include <algorithm>

namespace weir::policy {

namespace {

bool is_subsequence(std::span<const uint64_t> part,
                    std::span<const uint64_t> whole) {
  size_t matched = 0;
  for (const auto hash : whole)
    if (matched < part.size() && part[matched] == hash)
      ++matched;
  return matched == part.size();
}

bool knows_non_event_part(const remembered_transaction& one, uint64_t hash) {
  return std::find(one.non_event_hashes.begin(), one.non_event_hashes.end(),
                   hash)
    != one.non_event_hashes.end();
}

} // namespace

std::string_view to_string(repeat_kind of) noexcept {
  return boost::describe::enum_to_string(of, "unknown");
}

repeat_decision compare_with_past(std::span<const remembered_transaction> past,
                                  std::span<const uint64_t> event_hashes,
                                  uint64_t non_event_hash) {
  if (past.empty())
    return {repeat_kind::first_seen, 0};
  // Of the generations that hold these events: the newest, and the newest that
  // holds the non-event part too.
  const remembered_transaction* of_events = nullptr;
  const remembered_transaction* of_both = nullptr;
  bool is_part_known = false;
  uint32_t newest = 0;
  const auto is_newer = [](const remembered_transaction& one,
                           const remembered_transaction* other) {
    return other == nullptr || one.generation > other->generation;
  };
  for (const auto& one : past) {
    newest = std::max(newest, one.generation);
    const bool knows_part
      = non_event_hash == 0 || knows_non_event_part(one, non_event_hash);
    is_part_known = is_part_known || knows_part;
    if (!is_subsequence(event_hashes, one.event_hashes))
      continue;
    if (is_newer(one, of_events))
      of_events = &one;
    if (knows_part && is_newer(one, of_both))
      of_both = &one;
  }
  const repeat_decision anew{repeat_kind::new_generation, newest + 1};
  if (of_events == nullptr)
    return anew;
  if (is_part_known)
    return {repeat_kind::duplicate,
            (of_both != nullptr ? of_both : of_events)->generation};
  if (event_hashes.empty())
    return anew;
  return {repeat_kind::non_event_part_only, of_events->generation};
}

} // namespace weir::policy
