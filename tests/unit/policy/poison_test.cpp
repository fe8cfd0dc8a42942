#include "actors/policy/poison.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace weir;
using namespace weir::policy;

namespace {

constexpr poison_limits usual{.rejections = 3, .hangs = 5};

std::vector<plan_item> items_of(const std::vector<uint64_t>& seqs) {
  std::vector<plan_item> owed;
  for (const auto seq : seqs)
    owed.push_back({seq, 1, false, lane::event, {}, 10});
  return owed;
}

std::vector<plan_item> items_up_to(uint64_t count) {
  std::vector<uint64_t> seqs;
  for (uint64_t seq = 1; seq <= count; ++seq)
    seqs.push_back(seq);
  return items_of(seqs);
}

} // namespace

TEST_CASE("poison: a transaction is halved at the third rejection") {
  CHECK(after_rejection(1, 10, false, usual) == poison_action::retry);
  CHECK(after_rejection(2, 10, false, usual) == poison_action::retry);
  CHECK(after_rejection(3, 10, false, usual) == poison_action::bisect);
  CHECK(after_rejection(4, 2, false, usual) == poison_action::bisect);
}

TEST_CASE("poison: inside a suspect stretch one rejection halves again") {
  CHECK(after_rejection(1, 2, true, usual) == poison_action::bisect);
  CHECK(after_rejection(0, 2, true, usual) == poison_action::retry);
}

TEST_CASE("poison: a lone element is given up at the full count only") {
  for (const bool inside_suspect : {false, true}) {
    CHECK(after_rejection(1, 1, inside_suspect, usual) == poison_action::retry);
    CHECK(after_rejection(2, 1, inside_suspect, usual) == poison_action::retry);
    CHECK(after_rejection(3, 1, inside_suspect, usual)
          == poison_action::give_up);
  }
}

TEST_CASE("poison: hangs count like rejections, with a higher bound") {
  CHECK(after_hang(4, 10, false, usual) == poison_action::retry);
  CHECK(after_hang(5, 10, false, usual) == poison_action::bisect);
  CHECK(after_hang(1, 10, true, usual) == poison_action::bisect);
  CHECK(after_hang(4, 1, true, usual) == poison_action::retry);
  CHECK(after_hang(5, 1, true, usual) == poison_action::give_up);
}

TEST_CASE("poison: a hang that no ping proved is never held against it") {
  for (const uint64_t elements : {1U, 2U, 100U})
    for (const bool inside_suspect : {false, true})
      CHECK(after_hang(0, elements, inside_suspect, usual)
            == poison_action::retry);
}

TEST_CASE("poison: a limit of zero is taken for one") {
  constexpr poison_limits none{.rejections = 0, .hangs = 0};
  CHECK(after_rejection(0, 1, false, none) == poison_action::retry);
  CHECK(after_rejection(1, 1, false, none) == poison_action::give_up);
  CHECK(after_hang(0, 9, false, none) == poison_action::retry);
  CHECK(after_hang(1, 9, false, none) == poison_action::bisect);
}

TEST_CASE("poison: too big is split at once and given up when it is one") {
  CHECK(after_too_big(2) == poison_action::bisect);
  CHECK(after_too_big(100) == poison_action::bisect);
  CHECK(after_too_big(1) == poison_action::give_up);
}

TEST_CASE("poison: halving the byte bound always ends") {
  CHECK(byte_bound_after_too_big(4'000'000) == 2'000'000);
  CHECK(byte_bound_after_too_big(901) == 450);
  CHECK(byte_bound_after_too_big(1) == 1);
  CHECK(byte_bound_after_too_big(0) == 1);
}

TEST_CASE("poison: the refused transaction is the suspect stretch") {
  CHECK(narrowed_by_refusal(4, 9) == suspect{4, 9});
  CHECK(narrowed_by_refusal(4, 9).any());
  CHECK(!suspect{}.any());
}

TEST_CASE("poison: after a success the rest of the stretch is suspect") {
  CHECK(narrowed_by_success({4, 9}, 6) == suspect{7, 9});
  CHECK(narrowed_by_success({4, 9}, 8) == suspect{9, 9});
  CHECK(narrowed_by_success({4, 9}, 9) == suspect{});
  CHECK(narrowed_by_success({4, 9}, 12) == suspect{});
  CHECK(narrowed_by_success({4, 9}, 2) == suspect{4, 9});
  CHECK(narrowed_by_success({}, 12) == suspect{});
}

TEST_CASE("poison: half of what is left of a stretch goes next") {
  const auto owed = items_of({3, 5, 6, 9, 12, 13});
  CHECK(suspect_share({3, 9}, owed) == 2);
  CHECK(suspect_share({3, 6}, owed) == 1);
  CHECK(suspect_share({3, 12}, owed) == 2);
  CHECK(suspect_share({3, 3}, owed) == 1);
  CHECK(suspect_share({3, 99}, owed) == 3);
}

TEST_CASE("poison: with nothing suspect all may go") {
  const auto owed = items_of({3, 5, 6});
  CHECK(suspect_share({}, owed) == 3);
  CHECK(suspect_share({1, 2}, owed) == 3); // Its rows are gone.
  CHECK(suspect_share({1, 2}, {}) == 0);
}

namespace {

/// A queue and a bridge, with nothing between them but the policies.
class bridge_run {
public:
  bridge_run(std::vector<plan_item> owed, std::set<uint64_t> bad, bool hangs)
    : owed_{std::move(owed)},
      bad_{std::move(bad)},
      hangs_{hangs} {
  }

  void drain() {
    while (!owed_.empty())
      send_one_transaction();
  }

  std::vector<uint64_t> delivered, given_up;
  size_t sends = 0;

private:
  void send_one_transaction() {
    const std::span<const plan_item> all{owed_};
    const auto share = all.first(suspect_share(stretch_, all));
    const auto count = plan_transaction(share, plan_bounds{});
    const auto first = owed_.front().seq;
    const auto last = owed_[count - 1].seq;
    const bool inside = stretch_.any() && last <= stretch_.last;
    for (uint32_t refusals = 1;; ++refusals) {
      ++sends;
      if (!holds_bad(count)) {
        for (size_t i = 0; i < count; ++i)
          delivered.push_back(owed_[i].seq);
        return forget(count, last);
      }
      switch (hangs_ ? after_hang(refusals, count, inside, usual)
                     : after_rejection(refusals, count, inside, usual)) {
      case poison_action::retry: break;
      case poison_action::bisect:
        stretch_ = narrowed_by_refusal(first, last);
        return;
      case poison_action::give_up:
        REQUIRE(count == 1);
        given_up.push_back(first);
        return forget(1, first);
      }
    }
  }

  bool holds_bad(size_t count) const {
    return std::any_of(
      owed_.begin(), owed_.begin() + std::ptrdiff_t(count),
      [this](const plan_item& item) { return bad_.contains(item.seq); });
  }

  void forget(size_t count, uint64_t last) {
    owed_.erase(owed_.begin(), owed_.begin() + std::ptrdiff_t(count));
    stretch_ = narrowed_by_success(stretch_, last);
  }

  std::vector<plan_item> owed_;
  std::set<uint64_t> bad_;
  bool hangs_;
  suspect stretch_;
};

/// Sends that one bad element among `count` may cost: the full count for the
/// whole and for the element alone, one or two for each halving.
size_t sends_allowed(uint64_t count, size_t bad, bool hangs) {
  const size_t full = hangs ? usual.hangs : usual.rejections;
  const size_t in_one
    = std::min<uint64_t>(count, limits::transaction_events_max);
  const size_t halvings = std::bit_width(in_one);
  return 1 + count / limits::transaction_events_max
    + bad * (2 * full + 2 * halvings + 1);
}

/// Runs and compares; returns whether all is well, to keep the loops fast.
bool isolates(std::vector<plan_item> owed, const std::set<uint64_t>& bad,
              bool hangs = false) {
  std::vector<uint64_t> good;
  for (const auto& item : owed)
    if (!bad.contains(item.seq))
      good.push_back(item.seq);
  const auto count = owed.size();
  bridge_run run{std::move(owed), bad, hangs};
  run.drain();
  return run.delivered == good
    && run.given_up == std::vector<uint64_t>(bad.begin(), bad.end())
    && run.sends <= sends_allowed(count, bad.size(), hangs);
}

} // namespace

TEST_CASE("poison: without a bad element nothing is sent twice") {
  bridge_run run{items_up_to(250), {}, false};
  run.drain();
  CHECK(run.sends == 3);
  CHECK(run.given_up.empty());
}

TEST_CASE("poison: one bad element anywhere is isolated in few sends") {
  for (uint64_t count = 1; count <= 200; ++count)
    for (uint64_t bad = 1; bad <= count; ++bad)
      REQUIRE_MESSAGE(isolates(items_up_to(count), {bad}), "bad ", bad, " of ",
                      count);
}

TEST_CASE("poison: one element on which the bridge hangs is isolated too") {
  for (uint64_t count = 1; count <= 120; ++count)
    for (uint64_t bad = 1; bad <= count; ++bad)
      REQUIRE_MESSAGE(isolates(items_up_to(count), {bad}, true), "bad ", bad,
                      " of ", count);
}

TEST_CASE("poison: two bad elements anywhere are isolated in few sends") {
  for (uint64_t count = 2; count <= 200; ++count) {
    // Every pair up to 40 elements, then every pair of each seventh.
    const uint64_t stride = count <= 40 ? 1 : 7;
    for (uint64_t one = 1; one < count; one += stride)
      for (uint64_t two = one + 1; two <= count; two += stride)
        REQUIRE_MESSAGE(isolates(items_up_to(count), {one, two}), "bad ", one,
                        " and ", two, " of ", count);
  }
}

TEST_CASE("poison: neighbours and a whole bad queue are isolated") {
  for (uint64_t count = 2; count <= 200; ++count)
    for (uint64_t one = 1; one < count; ++one)
      REQUIRE(isolates(items_up_to(count), {one, one + 1}));
  std::set<uint64_t> all;
  for (uint64_t seq = 1; seq <= 64; ++seq)
    all.insert(seq);
  CHECK(isolates(items_up_to(64), all));
}

TEST_CASE("poison: gaps, other lanes and small bounds change nothing") {
  std::mt19937_64 random{1'000};
  for (int round = 0; round < 2'000; ++round) {
    std::vector<plan_item> owed;
    std::set<uint64_t> bad;
    uint64_t seq = 0;
    for (auto left = 1 + random() % 120; left > 0; --left) {
      seq += 1 + random() % 4;
      const bool is_value = random() % 8 == 0;
      owed.push_back({seq, seq, random() % 20 == 0,
                      is_value ? lane::key_counts : lane::event,
                      is_value ? std::string_view{"key"} : std::string_view{},
                      1 + random() % 100'000});
      if (random() % 25 == 0)
        bad.insert(seq);
    }
    std::vector<uint64_t> good;
    for (const auto& item : owed)
      if (!bad.contains(item.seq))
        good.push_back(item.seq);
    bridge_run run{owed, bad, random() % 2 == 0};
    run.drain();
    REQUIRE(run.delivered == good);
    REQUIRE(run.given_up == std::vector<uint64_t>(bad.begin(), bad.end()));
  }
}

TEST_CASE("poison: a flaky refusal costs no element") {
  // Three refusals that have nothing to do with the content, then peace.
  auto owed = items_up_to(100);
  const auto stretch = narrowed_by_refusal(1, 100);
  uint64_t acked = 0;
  auto left = stretch;
  size_t transactions = 0;
  while (acked < 100) {
    const auto share = suspect_share(left, owed);
    acked = owed[share - 1].seq;
    owed.erase(owed.begin(), owed.begin() + std::ptrdiff_t(share));
    left = narrowed_by_success(left, acked);
    ++transactions;
  }
  CHECK(transactions == 8); // 50, 25, 12, 6, 3, 2, 1, 1
  CHECK(!left.any());
}

TEST_CASE("poison: after 413 every element that fits arrives") {
  std::mt19937_64 random{413};
  for (int round = 0; round < 1'000; ++round) {
    const size_t bridge_limit = 200 + random() % 2'000;
    std::vector<plan_item> owed;
    for (uint64_t seq = 1; seq <= 60; ++seq)
      owed.push_back({seq, 1, false, lane::event, {}, 1 + random() % 900});
    plan_bounds bounds;
    std::map<uint64_t, int> delivered;
    size_t sends = 0;
    while (!owed.empty()) {
      REQUIRE(++sends < 200);
      const auto count = plan_transaction(owed, bounds);
      size_t body = 13 + count - 1;
      for (size_t i = 0; i < count; ++i)
        body += owed[i].bytes;
      if (body > bridge_limit
          && after_too_big(count) == poison_action::bisect) {
        bounds.bytes = byte_bound_after_too_big(body);
        continue;
      }
      if (body > bridge_limit)
        REQUIRE(owed.front().bytes + 13 > bridge_limit);
      else
        for (size_t i = 0; i < count; ++i)
          ++delivered[owed[i].seq];
      owed.erase(owed.begin(), owed.begin() + std::ptrdiff_t(count));
    }
    for (const auto& [seq, times] : delivered)
      REQUIRE(times == 1);
  }
}
