#pragma once

#include "schema/element.hpp"
#include "schema/time.hpp"
#include "tests/sim/dice.hpp"
#include "tests/sim/ledger.hpp"
#include "tests/sim/plan.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace weir::sim {

/// One transaction as the homeserver puts it, sliced already.
struct hs_transaction {
  std::string id;
  incoming_transaction content;
  std::vector<offered_element> elements; ///< Those of `ledger`.
};

/// How a homeserver serves one appservice, after Synapse: a queue in memory,
/// one transaction at a time, at most 100 events; a refused one is tried again
/// for ever, with pauses that double, with other bytes (`age`) and without what
/// is not an event. Its ids are numbers that begin at 1 again after a restart,
/// when the queue is lost and the open transaction comes again or does not.
class homeserver {
public:
  homeserver(size_t index, bridge_plan to, uint64_t seed);

  void have(size_t events, bool with_others, milliseconds now);
  void restart(milliseconds now);
  /// Puts the last acknowledged transaction in line again.
  void repeat(bool under_new_id);

  /// What it sends now; nothing while an answer is awaited or it rests.
  std::optional<hs_transaction> next(milliseconds now);
  void answered(bool stored, milliseconds now);
  /// The connection broke.
  void cut(milliseconds now) {
    answered(false, now);
  }

  /// When it will have something to send; nothing if it never will by itself.
  [[nodiscard]] std::optional<milliseconds> next_at() const;
  [[nodiscard]] bool waits() const {
    return waits_;
  }
  [[nodiscard]] bool done() const {
    return !waits_ && open_.empty() && queue_.empty();
  }

private:
  struct thing {
    uint64_t no = 0;
    lane kind = lane::event;
    size_t padding = 0;
    bool poisoned = false;
  };
  struct transaction {
    std::string id;
    std::vector<thing> things;
    size_t tries = 0;
  };

  void close_next();
  [[nodiscard]] std::string body_of(const transaction& what) const;
  [[nodiscard]] std::string bytes_of(const thing& what, size_t tries) const;

  size_t index_;
  bridge_plan plan_;
  dice random_;
  size_t poisoned_ = 0;
  uint64_t next_no_ = 1;
  uint64_t next_id_ = 1;
  std::deque<thing> queue_;
  std::deque<transaction> open_; ///< The first is being sent.
  std::optional<transaction> last_;
  bool waits_ = false;
  milliseconds rests_until_{0};
  milliseconds pause_{0};
};

} // namespace weir::sim
