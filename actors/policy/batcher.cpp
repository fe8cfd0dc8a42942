#include "actors/policy/batcher.hpp"

#include <algorithm>
#include <unordered_map>

namespace weir::policy {

namespace {

/// `{"events":[]}` is sent even when there are none (E1).
constexpr size_t empty_body_bytes = 13;
constexpr size_t list_framing_bytes = 6;  ///< `,"":[]` around a new list.
constexpr size_t value_framing_bytes = 4; ///< `,"":` before a whole value.
constexpr size_t separator_bytes = 1;     ///< `,` between items of a list.

constexpr bool is_list(lane kind) {
  return kind == lane::event || kind == lane::ephemeral
    || kind == lane::to_device;
}

bool keeps_to_itself(const plan_item& item) {
  return item.alone || item.keys.find('\\') != std::string_view::npos;
}

template <class Visit>
void for_each_key(std::string_view keys, Visit visit) {
  while (!keys.empty()) {
    const auto end = keys.find('\n');
    visit(keys.substr(0, end));
    keys = end == std::string_view::npos ? std::string_view{}
                                         : keys.substr(end + 1);
  }
}

/// The transaction planned so far.
class draft {
public:
  explicit draft(const plan_bounds& bounds) : bounds_{bounds} {
  }

  bool takes(const plan_item& item) const {
    return may_join(item) && has_count(item.kind)
      && cost(item) <= bounds_.bytes - std::min(bounds_.bytes, bytes_);
  }

  void add(const plan_item& item) {
    if (empty_)
      came_with_ = item.came_with;
    empty_ = false;
    to_itself_ = to_itself_ || keeps_to_itself(item);
    bytes_ += cost(item);
    ++counts_[static_cast<size_t>(item.kind)];
    for_each_key(item.keys, [&](std::string_view key) {
      claims_.try_emplace(key, is_list(item.kind));
    });
  }

private:
  bool may_join(const plan_item& item) const {
    if ((to_itself_ || keeps_to_itself(item)) && item.came_with != came_with_)
      return false;
    bool is_free = true;
    for_each_key(item.keys, [&](std::string_view key) {
      const auto claim = claims_.find(key);
      const bool both_lists
        = claim != claims_.end() && claim->second && is_list(item.kind);
      is_free = is_free && (claim == claims_.end() || both_lists);
    });
    return is_free;
  }

  bool has_count(lane kind) const {
    const auto used = counts_[static_cast<size_t>(kind)];
    switch (kind) {
    case lane::event: return used < bounds_.events;
    case lane::ephemeral: return used < bounds_.ephemeral;
    case lane::to_device: return used < bounds_.to_device;
    case lane::device_lists:
    case lane::key_counts:
    case lane::other: break;
    }
    return true; // One value per key, which `may_join` sees to.
  }

  /// Never below what rendering the item adds to the body.
  size_t cost(const plan_item& item) const {
    if (item.kind == lane::event)
      return item.bytes + separator_bytes;
    size_t sum = 0;
    for_each_key(item.keys, [&](std::string_view key) {
      sum += item.bytes;
      if (!is_list(item.kind))
        sum += key.size() + value_framing_bytes;
      else if (claims_.contains(key))
        sum += separator_bytes;
      else
        sum += key.size() + list_framing_bytes;
    });
    return sum;
  }

  const plan_bounds& bounds_;
  bool empty_ = true;
  bool to_itself_ = false;
  uint64_t came_with_ = 0;
  size_t bytes_ = empty_body_bytes;
  size_t counts_[static_cast<size_t>(lane::other) + 1] = {};
  std::unordered_map<std::string_view, bool> claims_; ///< Key → is a list.
};

} // namespace

size_t plan_transaction(std::span<const plan_item> owed,
                        const plan_bounds& bounds) {
  draft next{bounds};
  size_t taken = 0;
  while (taken < owed.size() && (taken == 0 || next.takes(owed[taken])))
    next.add(owed[taken++]);
  return taken;
}

} // namespace weir::policy
