#include "tests/sim/world.hpp"

#include <fmt/format.h>

// A bridge that no configuration names for a while, and that an operator has
// removed meanwhile.
namespace weir::sim {

namespace {

/// A request that nobody answered, or that left something, is sent again after
/// this.
constexpr milliseconds again_after{500};

} // namespace

/// The settings without those that are gone.
house_settings world::in_force() const {
  auto now = settings_;
  for (size_t i = sides_.size(); i-- > 0;)
    if (sides_[i]->back_at)
      now.queues.erase(now.queues.begin() + static_cast<std::ptrdiff_t>(i));
  return now;
}

/// What its homeserver has offered is answered first, and a pause ended: the
/// checkers could not tell what becomes of those.
void world::remove_bridge(const entry& line) {
  auto& to = *sides_[line.bridge];
  if (!node_ || draining_ || to.back_at || to.perhaps_halted
      || ledger_.awaits_answer(line.bridge))
    return;
  met(line.what);
  note(fmt::format("b{} is gone", line.bridge));
  to.back_at = now_ + milliseconds{line.amount};
  ledger_.pause_asked(line.bridge); // Nobody may expect progress.
  ledger_.left(line.bridge, now_, store_well_since_);
  node_->reload(in_force());
  ask_removal_of(line.bridge);
}

void world::ask_removal_of(size_t bridge) {
  sides_[bridge]->remove_at.reset();
  node_->remove(
    {"b" + std::to_string(bridge)},
    [this, bridge, life = life_](const expected<removal_done>& done) {
      if (life != life_ || node_ended_)
        return;
      note(fmt::format("removal {}: {}", bridge,
                       done ? static_cast<int64_t>(done.value().rows) : -1));
      if (!done || done.value().more)
        sides_[bridge]->remove_at = now_ + again_after;
    });
}

/// The removal goes on, and who is to be back is. What is not gone by then is
/// not the one's that comes back.
void world::removals_due() {
  if (!node_ || node_ended_ || draining_)
    return;
  for (size_t i = 0; i < sides_.size(); ++i) {
    auto& to = *sides_[i];
    if (to.back_at && *to.back_at <= now_) {
      note(fmt::format("b{} is back", i));
      to.back_at.reset();
      to.remove_at.reset();
      ledger_.resumed(i, now_);
      node_->reload(in_force());
    } else if (to.remove_at && *to.remove_at <= now_) {
      ask_removal_of(i);
    }
  }
}

void world::removals_lost() {
  for (auto& each : sides_)
    if (each->back_at)
      each->remove_at = now_;
}

void world::take_removals(const batch_content& content) {
  for (const auto& id : content.removed) {
    const auto index = std::stoul(id.value.substr(1));
    note(fmt::format("{} is removed", id.value));
    ledger_.removed(index, now_);
    lanes_.removed(index);
    sides_[index]->letters_going.merge(sides_[index]->letters);
    sides_[index]->letters.clear();
  }
  for (const auto& [id, letters] : content.removal_ended) {
    auto& going = sides_[std::stoul(id.substr(1))]->letters_going;
    for (const auto letter : letters)
      if (going.contains(letter))
        ledger_.report("what is removed is gone",
                       fmt::format("letter {} of {} is there", letter, id));
    going.clear();
  }
}

} // namespace weir::sim
