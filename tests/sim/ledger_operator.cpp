#include "tests/sim/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// What an operator has done with a queue.
namespace weir::sim {

void ledger::pause_asked(size_t bridge) {
  bridges_[bridge].perhaps_halted = true;
}

void ledger::paused(size_t bridge) {
  bridges_[bridge].halted = bridges_[bridge].perhaps_halted;
}

void ledger::resume_asked(size_t bridge) {
  bridges_[bridge].halted = false;
}

void ledger::resumed(size_t bridge, milliseconds at) {
  auto& to = bridges_[bridge];
  to.halted = to.perhaps_halted = false;
  to.moved = std::max(to.moved, at);
}

void ledger::retry_asked(size_t bridge, bool force) {
  auto& to = bridges_[bridge];
  to.own_until = milliseconds{0};
  if (force)
    to.wish_perhaps_until = std::max(
      to.wish_perhaps_until, std::exchange(to.wished_until, milliseconds{0}));
}

void ledger::retried(size_t bridge, bool force, milliseconds at) {
  auto& to = bridges_[bridge];
  if (force)
    to.wish_restored_until = to.wish_stored_until = to.wish_perhaps_until
      = milliseconds{0};
  alive(bridge, at);
}

void ledger::skip_asked(size_t bridge, const std::string& id) {
  auto& sent = bridges_[bridge].transactions;
  if (const auto found = sent.find(id); found != sent.end())
    found->second.skip_asked = true;
}

/// It is as if it were offered and acknowledged now.
void ledger::owed_again(size_t bridge, std::string_view bytes,
                        milliseconds at) {
  auto& to = bridges_[bridge];
  const auto no = number_in(bytes);
  const auto found = to.elements.find(no);
  if (found == to.elements.end())
    return report("invented", fmt::format("dead letter {}", no));
  auto& known = found->second;
  to.owed.erase({known.acknowledged_tick, no});
  known.first_offer = next_offer_++;
  known.first_offer_tick = ++tick_;
  known.acknowledged_tick = ++tick_;
  known.offered_at = known.acknowledged_at = at;
  known.required = true;
  known.processed = known.buried = false;
  if (to.owed.empty())
    to.moved = std::max(to.moved, at);
  to.owed.emplace(tick_, no);
}

void ledger::removed(size_t bridge, milliseconds at) {
  auto& to = bridges_[bridge];
  to.removed_tick = ++tick_;
  to.moved = std::max(to.moved, at);
  to.owed.clear();
  to.last_of_offer.clear();
  to.current.clear();
  // Its pause went with its row.
  to.own_until = to.wished_until = milliseconds{0};
  to.wish_stored_until = to.wish_restored_until = milliseconds{0};
  to.sure_refusals = 0;
  for (auto& [no, known] : to.elements) {
    if (!known.removed) {
      known.removed_tick = tick_;
      known.was_processed = known.processed || known.buried;
    }
    known.acknowledged_tick = 0;
    known.required = known.processed = known.buried = false;
    known.removed = true;
  }
}

void ledger::check_halted(const bridge_state& to, const std::string& what) {
  if (to.halted)
    report("paused is paused", what + " was sent to a paused bridge");
}

/// Whatever ends as a dead letter is one, every element of it.
void ledger::kept_aside(bridge_state& to, const std::string& id,
                        const transaction_state& of) {
  for (const auto no : of.elements)
    if (!to.elements.at(no).buried)
      report("what is skipped is kept",
             fmt::format("element {} of {} is no dead letter", no, id));
  if (!of.skip_asked)
    return;
  to.own_until = milliseconds{0}; // It was for what is gone.
  // A queue that owes nothing any more may be let go, and its step with it.
  to.sure_refusals = 0;
}

} // namespace weir::sim
