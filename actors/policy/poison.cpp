#include "actors/policy/poison.hpp"

#include <boost/describe/enum_to_string.hpp>

#include <algorithm>

namespace weir::policy {

namespace {

poison_action after_refusals(uint32_t refusals, uint64_t elements,
                             bool inside_suspect, uint32_t enough) {
  const bool is_lone = elements <= 1;
  const auto needed
    = inside_suspect && !is_lone ? 1 : std::max<uint32_t>(enough, 1);
  if (refusals < needed)
    return poison_action::retry;
  return is_lone ? poison_action::give_up : poison_action::bisect;
}

} // namespace

std::string_view to_string(poison_action of) noexcept {
  return boost::describe::enum_to_string(of, "unknown");
}

poison_action after_rejection(uint32_t rejections, uint64_t elements,
                              bool inside_suspect,
                              const poison_limits& bounds) {
  return after_refusals(rejections, elements, inside_suspect,
                        bounds.rejections);
}

poison_action after_hang(uint32_t proven_hangs, uint64_t elements,
                         bool inside_suspect, const poison_limits& bounds) {
  return after_refusals(proven_hangs, elements, inside_suspect, bounds.hangs);
}

poison_action after_too_big(uint64_t elements) {
  return elements <= 1 ? poison_action::give_up : poison_action::bisect;
}

size_t byte_bound_after_too_big(size_t refused_body_bytes) {
  return std::max<size_t>(refused_body_bytes / 2, 1);
}

suspect narrowed_by_refusal(uint64_t pinned_first, uint64_t pinned_last) {
  return {pinned_first, pinned_last};
}

suspect narrowed_by_success(suspect now, uint64_t acked_last) {
  if (acked_last >= now.last)
    return {};
  return {std::max(now.first, acked_last + 1), now.last};
}

size_t suspect_share(suspect now, std::span<const plan_item> owed) {
  const auto end = std::partition_point(
    owed.begin(), owed.end(),
    [now](const plan_item& item) { return item.seq <= now.last; });
  const auto left = static_cast<size_t>(end - owed.begin());
  return left == 0 ? owed.size() : std::max<size_t>(left / 2, 1);
}

} // namespace weir::policy
