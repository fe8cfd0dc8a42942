#include "tests/sim/world.hpp"

#include <fmt/format.h>

// What an operator has done with a queue, and when it is resumed.
namespace weir::sim {

namespace {

/// A command that nobody answered for is given again after this.
constexpr milliseconds again_after{1'000};

bool holds(const expected<command_done>& done) {
  return done
    && (done.value().result == command_result::done
        || done.value().result == command_result::already);
}

} // namespace

void world::operate(const entry& line) {
  if (!node_ || draining_)
    return; // It would be refused.
  met(line.what);
  auto& to = *sides_[line.bridge];
  queue_command what;
  what.by = "operator";
  switch (line.what) {
  case act::pause_queue:
    what.verb = queue_verb::pause;
    to.perhaps_halted = true;
    to.resume_at = now_ + milliseconds{line.amount};
    ledger_.pause_asked(line.bridge);
    break;
  case act::retry_now:
    what.verb = queue_verb::retry;
    what.force = line.step % 2 == 1;
    ledger_.retry_asked(line.bridge, what.force);
    break;
  default:
    what.verb = queue_verb::skip;
    what.txn = {to.last_sent};
    ledger_.skip_asked(line.bridge, to.last_sent);
  }
  command(line.bridge, what);
}

void world::command(size_t bridge, queue_command what) {
  what.appservice = {"b" + std::to_string(bridge)};
  note(fmt::format("command {} {} {}", to_string(what.verb), bridge,
                   what.txn.value));
  node_->command(
    what,
    [this, bridge, what, life = life_](const expected<command_done>& done) {
      if (life == life_ && !node_ended_)
        commanded(bridge, what, done);
    });
}

void world::commanded(size_t bridge, const queue_command& what,
                      const expected<command_done>& done) {
  auto& to = *sides_[bridge];
  note(fmt::format("command {} {}: {}", to_string(what.verb), bridge,
                   done ? static_cast<int>(done.value().result) : -1));
  switch (what.verb) {
  case queue_verb::pause:
    if (holds(done) && to.resume_at)
      ledger_.paused(bridge);
    return;
  case queue_verb::resume:
    if (!holds(done)) {
      to.resume_at = now_ + again_after;
      return;
    }
    to.perhaps_halted = false;
    return ledger_.resumed(bridge, now_);
  case queue_verb::retry:
    if (done && done.value().result == command_result::done)
      ledger_.retried(bridge, what.force, now_);
    return;
  default: return;
  }
}

/// An operator comes back to what was paused, or may be.
void world::resume_due() {
  if (!node_ || node_ended_ || draining_)
    return;
  for (size_t i = 0; i < sides_.size(); ++i) {
    auto& to = *sides_[i];
    if (!to.resume_at || *to.resume_at > now_)
      continue;
    to.resume_at.reset();
    ledger_.resume_asked(i);
    queue_command what;
    what.verb = queue_verb::resume;
    what.by = "operator";
    command(i, what);
  }
}

/// What became of a resume that went down with its node is not known.
void world::commands_lost() {
  for (auto& each : sides_)
    if (each->perhaps_halted && !each->resume_at)
      each->resume_at = now_;
}

/// An old copy may hold a pause that was ended since, and lack one that was
/// begun.
void world::pauses_unknown() {
  for (size_t i = 0; i < sides_.size(); ++i) {
    sides_[i]->perhaps_halted = true;
    sides_[i]->resume_at = now_;
    ledger_.resume_asked(i);
    ledger_.pause_asked(i);
  }
}

} // namespace weir::sim
