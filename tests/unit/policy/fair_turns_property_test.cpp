#include "actors/policy/fair_turns.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace weir;
using namespace weir::policy;

namespace {

/// Deficit round robin, slow and obvious: every realm in a ring, one send for
/// each unit of credit, one unit of credit a visit.
class round_robin {
public:
  explicit round_robin(size_t realms) : owed_(realms), credit_(realms) {
  }

  void add(size_t realm, size_t sends) {
    if (owed_[realm] == 0)
      ring_.push_back(realm);
    owed_[realm] += sends;
  }

  /// Who sends next; there must be somebody.
  size_t next() {
    for (;;) {
      const auto realm = ring_.front();
      ring_.pop_front();
      ++credit_[realm];
      if (credit_[realm] == 0)
        continue;
      --credit_[realm];
      if (--owed_[realm] > 0)
        ring_.push_back(realm);
      else
        credit_[realm] = 0;
      return realm;
    }
  }

  [[nodiscard]] bool empty() const {
    return ring_.empty();
  }

private:
  std::vector<size_t> owed_;
  std::vector<size_t> credit_;
  std::deque<size_t> ring_;
};

double jain(const std::vector<double>& shares) {
  double sum = 0;
  double squares = 0;
  for (const auto each : shares) {
    sum += each;
    squares += each * each;
  }
  return sum * sum / (static_cast<double>(shares.size()) * squares);
}

/// Realms that offer one send after another to rooms of their own.
class line {
public:
  explicit line(size_t realms) : owed_(realms), served(realms) {
  }

  void add(size_t realm, size_t sends) {
    owed_[realm] += sends;
    offer(realm);
  }

  size_t next() {
    const auto taken = turns_.next(send_class::bulk);
    REQUIRE(taken);
    const auto realm = std::stoul(taken->source.id);
    --owed_[realm];
    ++served[realm];
    turns_.finish(*taken);
    offer(realm);
    return realm;
  }

  [[nodiscard]] bool backlogged(size_t realm) const {
    return owed_[realm] > 0;
  }

private:
  void offer(size_t realm) {
    if (owed_[realm] > 0)
      CHECK(turns_.offer({send_class::bulk, std::to_string(realm)},
                         {"!" + std::to_string(realm)}));
  }

  fair_turns turns_{1};
  std::vector<size_t> owed_;

public:
  std::vector<size_t> served;
};

} // namespace

TEST_CASE("turns: over seeded loads shares are those of deficit round robin") {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    const size_t realms = 2 + random() % 30;
    const bool at_once = seed % 2 == 0;
    // Who comes later has its first turn in the round in which it comes, and
    // with the oracle after that round.
    const int apart_max = at_once ? 0 : 3;
    round_robin oracle{realms};
    line subject{realms};
    std::vector<size_t> oracle_served(realms);
    // Each realm comes once, some at first and some later, and drains.
    size_t came = 0;
    while (came < realms || !oracle.empty()) {
      if (came < realms && (at_once || oracle.empty() || random() % 20 == 0)) {
        const auto sends = 1 + random() % 100;
        oracle.add(came, sends);
        subject.add(came++, sends);
        if (at_once)
          continue;
      }
      ++oracle_served[oracle.next()];
      subject.next();
      for (size_t each = 0; each < realms; ++each) {
        const auto a = static_cast<int64_t>(oracle_served[each]);
        const auto b = static_cast<int64_t>(subject.served[each]);
        CHECK(std::abs(a - b) <= apart_max);
      }
    }
    CHECK(oracle_served == subject.served);
  }
}

TEST_CASE("turns: of realms with a backlog none is ahead by more than a turn") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    const size_t realms = 2 + random() % 20;
    line subject{realms};
    std::set<size_t> always; // Backlogged from the first to the last step.
    for (size_t each = 0; each < realms; ++each)
      if (random() % 2 == 0) {
        always.insert(each);
        subject.add(each, 5'000);
      }
    for (int step = 0; step < 1'500; ++step) {
      const auto other = random() % realms;
      if (!always.contains(other))
        subject.add(other, 1 + random() % 4);
      else if (always.size() == realms || !subject.backlogged(other))
        continue;
      subject.next();
      size_t least = SIZE_MAX;
      size_t most = 0;
      for (const auto each : always) {
        least = std::min(least, subject.served[each]);
        most = std::max(most, subject.served[each]);
      }
      CHECK((always.empty() || most <= least + 1));
    }
  }
}

TEST_CASE("turns: among ten thousand realms one that floods is as one") {
  constexpr size_t realms = 10'000;
  line subject{realms};
  for (size_t each = 0; each < realms; ++each)
    subject.add(each, each == 0 ? 1'000 * realms : 3);
  for (size_t step = 0; step < 2 * realms + realms / 2; ++step)
    subject.next();
  std::vector<double> shares;
  for (size_t each = 0; each < realms; ++each)
    shares.push_back(static_cast<double>(subject.served[each]));
  CHECK(*std::max_element(shares.begin(), shares.end()) <= 3);
  CHECK(*std::min_element(shares.begin(), shares.end()) >= 2);
  CHECK(jain(shares) >= 0.96); // Half have had three, half two: 0.9615.
  while (subject.served.back() < 3)
    subject.next();
  for (size_t each = 0; each < realms; ++each)
    shares[each] = static_cast<double>(subject.served[each]);
  CHECK(jain(shares) >= 0.99);
}

TEST_CASE("turns: with busy rooms nothing is lost and no room is sent to "
          "twice at once") {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    const auto slots = static_cast<uint32_t>(1 + random() % 8);
    fair_turns turns{slots};
    std::vector<turn> open;
    std::set<std::string> busy;
    std::set<std::pair<std::string, std::string>> owed;
    for (int step = 0; step < 3'000; ++step) {
      const auto realm = std::to_string(random() % 6);
      const auto room = "!" + std::to_string(random() % 9);
      switch (random() % 6) {
      case 0:
      case 1:
        owed.emplace(realm, room);
        CHECK(turns.offer({send_class::bulk, realm}, {room}));
        break;
      case 2:
        if (random() % 8 == 0) {
          owed.erase({realm, room});
          turns.withdraw({send_class::bulk, realm}, {room});
        }
        break;
      case 3:
        if (open.size() < slots)
          if (const auto taken = turns.next(send_class::bulk)) {
            CHECK(owed.erase({taken->source.id, taken->room.value}) == 1);
            CHECK(busy.insert(taken->room.value).second);
            open.push_back(*taken);
          }
        break;
      default:
        if (open.empty())
          break;
        const auto at = random() % open.size();
        const auto done = open[at];
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
        busy.erase(done.room.value);
        if (random() % 4 == 0) {
          turns.undo(done);
          owed.emplace(done.source.id, done.room.value);
        } else {
          turns.finish(done);
        }
      }
    }
    for (const auto& each : open)
      turns.finish(each);
    while (const auto taken = turns.next(send_class::bulk)) {
      CHECK(owed.erase({taken->source.id, taken->room.value}) == 1);
      turns.finish(*taken);
    }
    CHECK(owed.empty());
    CHECK(turns.known() == 0);
    CHECK(turns.known_rooms() == 0);
  }
}
