#include "tests/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>

// When a run is over, and how it is looked at then.
namespace weir::sim {

bool world::is_over() {
  if (now_ < plan_.ends || next_entry_ < plan_.entries.size() || !node_
      || draining_ || !open_.empty() || !ledger_.all_delivered())
    return false;
  const auto is_done = [](const auto& each) {
    return each->hs.done() && !each->perhaps_halted && !each->back_at;
  };
  if (!std::all_of(sides_.begin(), sides_.end(), is_done))
    return false;
  // It may owe a transaction whose acknowledgement was lost.
  const auto books = store_->books();
  return std::none_of(books.begin(), books.end(), [](const auto& each) {
    return each.owed_events + each.owed_others > 0;
  });
}

/// Lets everything fall idle, and looks whether it is as it should be.
void world::finish() {
  const auto until = now_ + settings_.idle_after * 2 + milliseconds{15'000};
  while (now_ < until && !ledger_.found()) {
    advance();
    settle();
  }
  if (ledger_.found())
    return;
  if (!node_)
    return ledger_.report("comes to rest", "the node ended by itself");
  if (node_->actors() != node_->actors_at_rest())
    ledger_.report("nobody is left alone",
                   fmt::format("{} actors run, {} have something to do",
                               node_->actors(), node_->actors_at_rest()));
  check_books();
  ledger_.check_end();
  lanes_.check_end();
  draining_ = true;
  node_->drain([this] { drained_ = true; });
  run_node();
  if (node_)
    ledger_.report("comes to rest", "a drain with nothing to do does not end");
  note("over");
}

} // namespace weir::sim
