#include "actors/policy/overflow.hpp"

#include <array>
#include <utility>

namespace weir::policy {

namespace {

constexpr std::array<std::pair<uint32_t, std::string_view>, 3> names{
  {{near_bound::elements, "events"},
   {near_bound::bytes, "bytes"},
   {near_bound::age, "age"}}};

/// In tenths of a bound.
constexpr double begins_at = 8;
constexpr double ends_below = 7;

/// `bit` as it is now.
uint32_t judged(uint32_t before, uint32_t bit, uint64_t held, uint64_t bound) {
  const double tenths
    = 10.0 * static_cast<double>(held) / static_cast<double>(bound);
  const double at = (before & bit) != 0 ? ends_below : begins_at;
  return tenths >= at ? bit : 0;
}

queue_fill without(queue_fill held, const overflow_row& row) {
  return {held.elements - 1, held.bytes - row.bytes};
}

} // namespace

bool is_full(queue_fill held, const queue_bounds& bounds) {
  return held.elements >= bounds.elements_max || held.bytes >= bounds.bytes_max;
}

std::vector<overflow_fate> make_room(std::span<const overflow_row> rows,
                                     queue_fill held,
                                     const queue_bounds& bounds,
                                     uint64_t letter_room) {
  std::vector<overflow_fate> fates(rows.size(), overflow_fate::stays);
  if (bounds.overflow != overflow_policy::dead_letter_oldest)
    return fates;
  for (size_t i = 0; i < rows.size() && is_full(held, bounds); ++i) {
    if (rows[i].kind != lane::ephemeral)
      continue;
    fates[i] = overflow_fate::dropped;
    held = without(held, rows[i]);
  }
  for (size_t i = 0; i < rows.size() && is_full(held, bounds); ++i) {
    if (rows[i].kind == lane::ephemeral)
      continue;
    if (rows[i].bytes > letter_room)
      break;
    fates[i] = overflow_fate::dead_letter;
    letter_room -= rows[i].bytes;
    held = without(held, rows[i]);
  }
  return fates;
}

outlived_rows outlived(std::span<const overflow_row> rows, stored_time now,
                       const queue_bounds& bounds, uint64_t letter_room) {
  outlived_rows found;
  found.fates.assign(rows.size(), overflow_fate::stays);
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool is_event = rows[i].kind == lane::event;
    found.all_old = bounds.age_max.count() > 0
      && now - rows[i].accepted_at > bounds.age_max
      && (!is_event || rows[i].bytes <= letter_room);
    if (!found.all_old)
      break;
    if (!is_event)
      continue;
    found.fates[i] = overflow_fate::dead_letter;
    letter_room -= rows[i].bytes;
  }
  return found;
}

uint32_t near_bounds(uint32_t before, queue_fill held,
                     const queue_bounds& bounds) {
  return (before & near_bound::age)
    | judged(before, near_bound::elements, held.elements, bounds.elements_max)
    | judged(before, near_bound::bytes, held.bytes, bounds.bytes_max);
}

uint32_t near_age(uint32_t before, milliseconds oldest,
                  const queue_bounds& bounds) {
  const auto others = before & ~near_bound::age;
  if (bounds.age_max.count() <= 0 || oldest.count() <= 0)
    return others;
  return others
    | judged(before, near_bound::age, static_cast<uint64_t>(oldest.count()),
             static_cast<uint64_t>(bounds.age_max.count()));
}

std::string near_bounds_text(uint32_t bits) {
  std::string text;
  for (const auto& [bit, name] : names)
    if ((bits & bit) != 0)
      text.append(text.empty() ? "" : ",").append(name);
  return text;
}

} // namespace weir::policy
