#include "actors/policy/batcher.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace weir;
using namespace weir::policy;

namespace {

/// Elements with seqs from 1; the keys are string literals.
class owed_list {
public:
  owed_list& add(lane kind, std::string_view keys, size_t bytes = 10,
                 uint64_t came_with = 1, bool alone = false) {
    items_.push_back({items_.size() + 1, came_with, alone, kind, keys, bytes});
    return *this;
  }
  owed_list& events(size_t count, size_t bytes = 10, uint64_t came_with = 1,
                    bool alone = false) {
    for (size_t i = 0; i < count; ++i)
      add(lane::event, {}, bytes, came_with, alone);
    return *this;
  }
  size_t plan(const plan_bounds& bounds = {}) const {
    return plan_transaction(items_, bounds);
  }

private:
  std::vector<plan_item> items_;
};

std::vector<std::string> split(std::string_view keys) {
  std::vector<std::string> parts;
  while (!keys.empty()) {
    const auto end = std::min(keys.find('\n'), keys.size());
    parts.emplace_back(keys.substr(0, end));
    keys.remove_prefix(std::min(end + 1, keys.size()));
  }
  return parts;
}

/// An independent rendering of a body, for its size only.
std::string render(std::span<const plan_item> items) {
  std::string events;
  std::map<std::string, std::string> lists;
  std::string values;
  for (const auto& item : items) {
    const std::string bytes(item.bytes, 'x');
    if (item.kind == lane::event)
      events.append(events.empty() ? "" : ",").append(bytes);
    for (const auto& key : split(item.keys)) {
      const auto name = ",\"" + key + "\":";
      if (item.kind == lane::ephemeral || item.kind == lane::to_device) {
        auto& list = lists[name];
        list.append(list.empty() ? "" : ",").append(bytes);
      } else {
        values.append(name).append(bytes);
      }
    }
  }
  auto body = "{\"events\":[" + events + "]";
  for (const auto& [name, list] : lists)
    body.append(name).append("[").append(list).append("]");
  return body + values + "}";
}

constexpr auto ephemeral = "ephemeral";
constexpr auto both_ephemeral = "ephemeral\nde.sorunome.msc2409.ephemeral";

} // namespace

TEST_CASE("batcher: nothing owed is nothing planned") {
  CHECK(owed_list{}.plan() == 0);
}

TEST_CASE("batcher: each list stops at its own count") {
  CHECK(owed_list{}.events(100).plan() == 100);
  CHECK(owed_list{}.events(101).plan() == 100);
  for (const auto kind : {lane::ephemeral, lane::to_device}) {
    owed_list owed;
    for (int i = 0; i < 101; ++i)
      owed.add(kind, "key");
    CHECK(owed.plan() == 100);
  }
  owed_list mixed;
  mixed.events(100);
  for (int i = 0; i < 100; ++i)
    mixed.add(lane::ephemeral, ephemeral);
  for (int i = 0; i < 100; ++i)
    mixed.add(lane::to_device, "to_device");
  CHECK(mixed.plan() == 300);
  CHECK(mixed.events(1).plan() == 300);
}

TEST_CASE("batcher: the prefix is unbroken where a count is reached") {
  owed_list owed;
  owed.events(3).add(lane::ephemeral, ephemeral);
  CHECK(owed.plan({.events = 2}) == 2);
  CHECK(owed.plan({.events = 3}) == 4);
}

TEST_CASE("batcher: the oldest element goes even where it breaks each bound") {
  CHECK(owed_list{}.events(2, 5'000'000).plan() == 1);
  CHECK(owed_list{}.events(2).plan(
          {.events = 0, .ephemeral = 0, .to_device = 0, .bytes = 0})
        == 1);
  CHECK(owed_list{}
          .add(lane::device_lists, "device_lists", 5'000'000)
          .events(1, 1)
          .plan()
        == 1);
}

TEST_CASE("batcher: an element too large for what is left ends the prefix") {
  CHECK(owed_list{}.events(3).events(1, 4'000'000).events(1).plan() == 3);
}

TEST_CASE("batcher: a body may fill the byte bound and no more") {
  // {"events":[ 10 , 10 , 10 ]}: 13 + 30 + 2, and one spare separator.
  const auto owed = owed_list{}.events(3);
  CHECK(owed.plan({.bytes = 46}) == 3);
  CHECK(owed.plan({.bytes = 45}) == 2);
}

TEST_CASE("batcher: an item under two spellings is counted twice in bytes") {
  owed_list one, two;
  one.add(lane::ephemeral, ephemeral, 100).add(lane::ephemeral, ephemeral, 100);
  two.add(lane::ephemeral, both_ephemeral, 100)
    .add(lane::ephemeral, both_ephemeral, 100);
  CHECK(one.plan({.bytes = 300}) == 2);
  CHECK(two.plan({.bytes = 300}) == 1);
  CHECK(two.plan({.bytes = 500}) == 2);
}

TEST_CASE("batcher: a whole value closes before its key comes again") {
  for (const auto kind : {lane::device_lists, lane::key_counts}) {
    owed_list owed;
    owed.add(kind, "one", 10, 1)
      .events(2, 10, 1)
      .add(kind, "two", 10, 2)
      .add(kind, "one", 10, 3)
      .events(1, 10, 3);
    CHECK(owed.plan() == 4);
  }
}

TEST_CASE("batcher: any of several keys is enough to claim") {
  owed_list owed;
  owed.add(lane::key_counts, "a\nb", 10, 1).add(lane::key_counts, "b", 10, 2);
  CHECK(owed.plan() == 1);
  owed_list other_way;
  other_way.add(lane::key_counts, "b", 10, 1)
    .add(lane::key_counts, "a\nb", 10, 2);
  CHECK(other_way.plan() == 1);
}

TEST_CASE("batcher: a list and a whole value never share a key") {
  owed_list list_first, value_first;
  list_first.add(lane::to_device, "to_device").add(lane::other, "to_device");
  value_first.add(lane::other, "to_device").add(lane::to_device, "to_device");
  CHECK(list_first.plan() == 1);
  CHECK(value_first.plan() == 1);
}

TEST_CASE("batcher: a transaction with unknown keys is never joined") {
  owed_list first, second;
  first.events(2, 10, 1, true)
    .add(lane::other, "m.synthetic_events", 10, 1, true)
    .events(2, 10, 4);
  CHECK(first.plan() == 3);
  second.events(2, 10, 1)
    .add(lane::other, "m.synthetic_events", 10, 3, true)
    .events(2, 10, 3, true);
  CHECK(second.plan() == 2);
  CHECK(owed_list{}.events(2, 10, 1, true).events(2, 10, 3, true).plan() == 2);
}

TEST_CASE("batcher: an alone transaction that does not fit is cut") {
  const auto owed = owed_list{}.events(5, 10, 1, true).events(5, 10, 6);
  CHECK(owed.plan({.events = 3}) == 3);
  // What is left of it is still alone.
  CHECK(owed_list{}.events(2, 10, 1, true).events(5, 10, 6).plan() == 2);
}

TEST_CASE("batcher: a key spelled with an escape keeps to its transaction") {
  owed_list owed;
  owed.add(lane::device_lists, "device_lists", 10, 1)
    .add(lane::device_lists, R"(devic\u0065_lists)", 10, 2);
  CHECK(owed.plan() == 1);
  owed_list first;
  first.add(lane::device_lists, R"(devic\u0065_lists)", 10, 1)
    .events(1, 10, 1)
    .events(1, 10, 3);
  CHECK(first.plan() == 2);
  // What has joined others does not have it join them, too.
  owed_list behind;
  behind.events(1, 10, 1).events(1, 10, 2);
  behind.add(lane::device_lists, R"(devic\u0065_lists)", 10, 2);
  CHECK(behind.plan() == 2);
}

TEST_CASE("batcher: many keys in one transaction are planned in one go") {
  std::vector<std::string> names;
  for (int i = 0; i < 5'000; ++i)
    names.push_back("org.example.key" + std::to_string(i));
  owed_list owed;
  for (const auto& name : names)
    owed.add(lane::other, name, 10, 1, true);
  CHECK(owed.plan() == 5'000);
}

namespace {

plan_item random_item(std::mt19937_64& random, uint64_t seq, uint64_t came_with,
                      bool alone) {
  static constexpr std::string_view ephemeral_keys[]
    = {ephemeral, both_ephemeral, "de.sorunome.msc2409.ephemeral"};
  static constexpr std::string_view value_keys[] = {"a", "b", "a\nb", "cc"};
  const auto kind = static_cast<lane>(random() % (alone ? 6 : 5));
  std::string_view keys;
  if (kind == lane::ephemeral)
    keys = ephemeral_keys[random() % 3];
  else if (kind == lane::to_device)
    keys = "to_device";
  else if (kind != lane::event)
    keys = value_keys[random() % 4];
  return {seq, came_with, alone, kind, keys, 1 + random() % 60};
}

std::vector<plan_item> random_owed(std::mt19937_64& random) {
  std::vector<plan_item> owed;
  const auto transactions = 1 + random() % 8;
  for (uint64_t t = 0; t < transactions; ++t) {
    const auto came_with = owed.size() + 1;
    const bool alone = random() % 5 == 0;
    const auto count = 1 + random() % 8;
    for (uint64_t i = 0; i < count; ++i)
      owed.push_back(random_item(random, owed.size() + 1, came_with, alone));
  }
  return owed;
}

/// Whether these items may stand in one transaction, told without the planner.
bool is_legal(std::span<const plan_item> items, const plan_bounds& bounds) {
  std::map<lane, size_t> counts;
  std::map<std::string, lane> owners;
  std::set<uint64_t> sources;
  bool any_alone = false;
  for (const auto& item : items) {
    ++counts[item.kind];
    sources.insert(item.came_with);
    any_alone = any_alone || item.alone;
    for (const auto& key : split(item.keys)) {
      const auto [owner, is_new] = owners.emplace(key, item.kind);
      const bool is_list
        = item.kind == lane::ephemeral || item.kind == lane::to_device;
      if (!is_new && !(is_list && owner->second == item.kind))
        return false;
    }
  }
  return counts[lane::event] <= bounds.events
    && counts[lane::ephemeral] <= bounds.ephemeral
    && counts[lane::to_device] <= bounds.to_device
    && (!any_alone || sources.size() == 1)
    && render(items).size() <= bounds.bytes;
}

} // namespace

TEST_CASE("batcher: any plan is legal, not wasteful and drains all in order") {
  std::mt19937_64 random{20'240'601};
  for (int round = 0; round < 3'000; ++round) {
    const auto owed = random_owed(random);
    const plan_bounds bounds{1 + random() % 6, 1 + random() % 6,
                             1 + random() % 6, 40 + random() % 600};
    std::span<const plan_item> left{owed};
    while (!left.empty()) {
      const auto taken = plan_transaction(left, bounds);
      REQUIRE(taken >= 1);
      REQUIRE(taken <= left.size());
      if (taken > 1)
        REQUIRE(is_legal(left.first(taken), bounds));
      if (taken < left.size()) {
        // One more would not have been legal, but for a spare separator.
        auto tight = bounds;
        tight.bytes -= 1;
        REQUIRE(!is_legal(left.first(taken + 1), tight));
      }
      left = left.subspan(taken);
    }
  }
}

TEST_CASE("batcher: a shorter page gives the same plan, cut at the page") {
  std::mt19937_64 random{7};
  for (int round = 0; round < 500; ++round) {
    const auto owed = random_owed(random);
    const plan_bounds bounds{4, 4, 4, 300};
    const auto whole = plan_transaction(owed, bounds);
    for (size_t page = 1; page <= owed.size(); ++page)
      REQUIRE(plan_transaction(std::span{owed}.first(page), bounds)
              == std::min(page, whole));
  }
}
