#include "schema/transaction.hpp"

#include "schema/event_slice.hpp"
#include "schema/hash.hpp"
#include "schema/json_check.hpp"
#include "schema/json_string.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

namespace weir {

namespace {

struct known_key {
  std::string_view name;
  lane kind;
};

/// Stable spellings, and those that homeservers use while a proposal is open;
/// Synapse sends the misspelt count beside the other. What is not here is
/// `lane::other`.
constexpr std::array<known_key, 12> known_keys{{
  {"events", lane::event},
  {"ephemeral", lane::ephemeral},
  {"de.sorunome.msc2409.ephemeral", lane::ephemeral},
  {"to_device", lane::to_device},
  {"de.sorunome.msc2409.to_device", lane::to_device},
  {"device_lists", lane::device_lists},
  {"org.matrix.msc3202.device_lists", lane::device_lists},
  {"device_one_time_keys_count", lane::key_counts},
  {"org.matrix.msc3202.device_one_time_keys_count", lane::key_counts},
  {"org.matrix.msc3202.device_one_time_key_counts", lane::key_counts},
  {"device_unused_fallback_key_types", lane::key_counts},
  {"org.matrix.msc3202.device_unused_fallback_key_types", lane::key_counts},
}};

lane lane_of(std::string_view key) {
  const auto* const known
    = std::ranges::find(known_keys, key, &known_key::name);
  return known != known_keys.end() ? known->kind : lane::other;
}

bool is_list(lane kind) {
  return kind <= lane::to_device;
}

/// Reads one body; used once.
class slicer {
public:
  explicit slicer(std::string_view body) : body_{body}, cursor_{body} {
  }

  expected<incoming_transaction> slice() {
    if (!pass_body() || !cursor_.finish())
      return fail(cursor_.failure());
    if (bad_shape_)
      return fail(ec::bad_json, bad_shape_);
    if (elements_ > limits::transaction_elements_max)
      return fail(ec::too_large,
                  fmt::format("{} elements; {} are taken at most", elements_,
                              limits::transaction_elements_max));
    add_lists();
    std::ranges::move(whole_values_, std::back_inserter(sliced_.elements));
    if (!others_.empty())
      sliced_.non_event_hash = sha256_head(others_);
    return std::move(sliced_);
  }

private:
  struct list {
    std::string_view raw_key;
    lane kind;
    std::vector<std::string_view> items;
    bool written = false;
  };

  bool pass_body() {
    std::string_view raw;
    if (cursor_.peek() == '{')
      return cursor_.members(
        [this](std::string_view raw_key) { return pass_member(raw_key); });
    bad_shape_ = "the body is not an object";
    return cursor_.value(raw);
  }

  bool pass_member(std::string_view raw_key) {
    auto key = unescape_json(raw_key);
    const auto kind = lane_of(key);
    if (keys_.size() < limits::transaction_elements_max
        && !keys_.insert(std::move(key)).second)
      bad_shape_ = "a top-level key is there twice";
    const bool is_array = cursor_.peek() == '[';
    if (is_list(kind) && is_array)
      return kind == lane::event ? pass_events() : pass_list(raw_key, kind);
    if (is_list(kind))
      bad_shape_ = "a list key does not hold a list";
    return pass_whole_value(raw_key, kind);
  }

  bool pass_events() {
    return cursor_.items([this] {
      std::string event_id;
      const bool is_object = cursor_.peek() == '{';
      const auto first = cursor_.offset();
      std::string_view raw;
      const bool passed
        = is_object ? pass_event(cursor_, event_id) : cursor_.value(raw);
      if (passed && has_place()) {
        raw = body_.substr(first, cursor_.offset() - first);
        add(lane::event, {}, raw, std::move(event_id));
        sliced_.event_hashes.push_back(sliced_.elements.back().id_hash);
      }
      return passed;
    });
  }

  bool pass_list(std::string_view raw_key, lane kind) {
    list found{.raw_key = raw_key, .kind = kind, .items = {}};
    const auto first = cursor_.offset();
    const bool passed = cursor_.items([&] {
      std::string_view raw;
      if (!cursor_.value(raw))
        return false;
      if (has_place())
        found.items.push_back(raw);
      return true;
    });
    if (passed && !found.items.empty()) {
      hash_member(raw_key, body_.substr(first, cursor_.offset() - first));
      lists_.push_back(std::move(found));
    }
    return passed;
  }

  bool pass_whole_value(std::string_view raw_key, lane kind) {
    const char first = cursor_.peek();
    std::string_view raw;
    if (!cursor_.value(raw))
      return false;
    const bool is_empty = is_empty_container(raw);
    if (!has_place())
      return true;
    if (!is_empty)
      hash_member(raw_key, raw);
    const auto stored = first == '{' ? kind : lane::other;
    if (stored == lane::other || !is_empty)
      whole_values_.push_back(make_element(stored, std::string{raw_key}, raw));
    return true;
  }

  /// Counts one more element. False: nothing more is kept, since the body will
  /// be refused; it is read to its end all the same, to tell what it is.
  bool has_place() {
    return ++elements_ <= limits::transaction_elements_max;
  }

  static bool is_empty_container(std::string_view raw) {
    if (raw.front() != '{' && raw.front() != '[')
      return false;
    return raw.find_first_not_of(" \t\r\n", 1) == raw.size() - 1;
  }

  /// Both spellings of a list with the same items are one list with two keys.
  void add_lists() {
    for (auto& one : lists_) {
      if (std::exchange(one.written, true))
        continue;
      std::string keys{one.raw_key};
      const auto twin = std::ranges::find_if(lists_, [&](const list& other) {
        return !other.written && other.kind == one.kind
          && other.items == one.items;
      });
      if (twin != lists_.end()) {
        twin->written = true;
        keys.append("\n").append(twin->raw_key);
      }
      for (const auto item : one.items)
        add(one.kind, keys, item, {});
    }
  }

  void add(lane kind, std::string keys, std::string_view raw,
           std::string event_id) {
    sliced_.elements.push_back(
      make_element(kind, std::move(keys), raw, std::move(event_id)));
  }

  void hash_member(std::string_view raw_key, std::string_view raw) {
    others_.append("\"").append(raw_key).append("\":").append(raw);
  }

  std::string_view body_;
  json_cursor cursor_;
  const char* bad_shape_ = nullptr;
  size_t elements_ = 0;
  std::set<std::string> keys_; ///< Top-level keys so far, unescaped.
  incoming_transaction sliced_;
  std::vector<list> lists_;
  std::vector<element> whole_values_;
  std::string others_; ///< All non-empty members but `events`.
};

} // namespace

expected<incoming_transaction> slice_transaction(std::string_view body) {
  return slicer{body}.slice();
}

} // namespace weir
