#include "actors/policy/last_words.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <deque>
#include <map>
#include <random>

using namespace weir;
using namespace weir::policy;

namespace {

using nlohmann::json;

/// A bridge that takes values in, and a line of values before it of which the
/// first few may be pinned.
class walk {
public:
  walk(lane kind, uint64_t seed) : kind_{kind}, random_{seed} {
  }

  void step() {
    if (below(4) == 0)
      deliver_some();
    else
      say();
  }

  /// Delivers what is left and compares the bridge with what was said.
  void finish() {
    while (!line_.empty())
      deliver();
    CHECK(known_ == said_);
  }

private:
  struct value {
    std::string bytes;
    bool alone = false;
  };

  uint64_t below(uint64_t bound) {
    return std::uniform_int_distribution<uint64_t>{0, bound - 1}(random_);
  }

  std::string user() {
    return "@" + std::to_string(below(6));
  }

  /// A value, whose words are noted as the last on their subjects.
  std::string any_value() {
    json made = json::object();
    if (kind_ == lane::key_counts) {
      for (auto n = 1 + below(3); n > 0; --n)
        made[user()]["D" + std::to_string(below(2))]
          = below(4) == 0 ? json::array() : json(++count_);
    } else {
      made["changed"] = json::array();
      made["left"] = json::array();
      std::map<std::string, bool> users;
      for (auto n = 1 + below(3); n > 0; --n)
        users[user()] = below(2) == 0;
      for (const auto& [who, left] : users)
        made[left ? "left" : "changed"].push_back(who);
    }
    note(made, said_);
    return made.dump();
  }

  void note(const json& of, std::map<std::string, std::string>& words) {
    for (const auto& [outer, inner] : of.items())
      for (const auto& [key, what] : inner.items())
        if (kind_ == lane::key_counts)
          words[outer + " " + key] = what.dump();
        else
          words[what.get<std::string>()] = outer;
  }

  void say() {
    const auto bytes = any_value();
    const bool alone = below(12) == 0;
    if (alone) {
      line_.push_back({bytes, true});
      return;
    }
    std::vector<owed_value> owed;
    for (auto i = pinned_; i < line_.size(); ++i)
      owed.push_back({kind_, "key", line_[i].bytes, line_[i].alone});
    const auto merged = merge_value(kind_, "key", bytes, owed, bytes_max);
    for (const auto& each : merged.owed) {
      auto& into = line_.at(pinned_ + each.index);
      CHECK(!into.alone);
      into.bytes = each.bytes;
    }
    if (!merged.rest.empty())
      line_.push_back({merged.rest, false});
    pinned_ = std::min<size_t>(line_.size(), std::max<size_t>(pinned_, 1));
  }

  void deliver_some() {
    for (auto n = below(3); n > 0 && !line_.empty(); --n)
      deliver();
  }

  void deliver() {
    const auto taken = json::parse(line_.front().bytes, nullptr, false);
    REQUIRE(taken.is_object());
    note(taken, known_);
    line_.pop_front();
    pinned_ = std::min<size_t>(line_.size(), 1);
  }

  static constexpr size_t bytes_max = 60;

  lane kind_;
  std::mt19937_64 random_;
  uint64_t count_ = 0;
  std::deque<value> line_;
  size_t pinned_ = 0; ///< Of the line, from its front.
  std::map<std::string, std::string> said_;
  std::map<std::string, std::string> known_;
};

} // namespace

TEST_CASE("last words: whatever is merged, the last of each is known at last") {
  for (const auto kind : {lane::device_lists, lane::key_counts})
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      walk both{kind, seed};
      for (int n = 0; n < 60; ++n)
        both.step();
      both.finish();
    }
}
