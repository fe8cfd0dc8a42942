#include "tests/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>

// What an operator has done with dead letters.
namespace weir::sim {

/// Those of the lanes that `lane_ledger` checks stay: it knows no letter that
/// comes back.
void world::change_letters(const entry& line) {
  const auto& letters = sides_[line.bridge]->letters;
  kept_selection which;
  for (const auto& [id, kind] : letters)
    if (!lane_ledger::is_here(kind))
      which.ids.push_back(id);
  if (!node_ || draining_ || which.ids.empty())
    return;
  met(line.what);
  if (line.step % 2 == 0 && which.ids.size() == letters.size())
    which.ids.clear();
  which.ids.resize(std::min(which.ids.size(), limits::kept_changed_max));
  ask_letters(line.bridge, line.what == act::drop_dead, which);
}

void world::ask_letters(size_t bridge, bool drop, const kept_selection& which) {
  const appservice_id id{"b" + std::to_string(bridge)};
  note(fmt::format("{} letters {} after {}", drop ? "drop" : "replay", bridge,
                   which.after));
  const auto then = [this, bridge, drop, which,
                     life = life_](const expected<kept_changed>& done) {
    if (life == life_ && !node_ended_)
      letters_changed(bridge, drop, which, done);
  };
  if (drop)
    node_->drop({id, which, "operator", {}}, then);
  else
    node_->replay({id, which, bounds_of(bridge), "operator", {}}, then);
}

/// Until nothing is left, or the queue is at its bound.
void world::letters_changed(size_t bridge, bool drop, kept_selection which,
                            const expected<kept_changed>& done) {
  note(fmt::format("letters {}: {}", bridge,
                   done ? static_cast<int64_t>(done.value().done) : -1));
  if (!done || !done.value().more || done.value().full || !node_ || draining_)
    return;
  which.after = done.value().after;
  which.until = done.value().until;
  ask_letters(bridge, drop, which);
}

void world::take_operations(const batch_content& content) {
  take_letters(content);
  take_removals(content);
}

/// Of letters that leave, those whose queue was saved are owed again.
void world::take_letters(const batch_content& content) {
  for (const auto& letter : content.letters_taken) {
    const auto index = std::stoul(letter.appservice.value.substr(1));
    sides_[index]->letters.erase(letter.letter);
    const bool replayed = std::any_of(
      content.rows.begin(), content.rows.end(),
      [&](const auto& row) { return row.id == letter.appservice; });
    note(fmt::format("letter {} of {} is {}", letter.letter, index,
                     replayed ? "owed" : "gone"));
    if (replayed && !lane_ledger::is_here(letter.kind))
      ledger_.owed_again(index, letter.bytes, now_);
  }
}

} // namespace weir::sim
