#include "actors/policy/delivery.hpp"

#include "schema/error.hpp"
#include "schema/limits.hpp"

#include <algorithm>

namespace weir::policy {

using std::chrono::duration_cast;

std::string_view to_string(delivery_state state) noexcept {
  switch (state) {
  case delivery_state::flowing: return "flowing";
  case delivery_state::resting: return "resting";
  case delivery_state::blocked: return "blocked";
  }
  return "unknown";
}

delivery::delivery(limits bounds) : bounds_{bounds}, pause_{bounds.pause} {
}

void delivery::pinned(delivery_subject subject) {
  WEIR_ASSERT(subject.elements > 0);
  if (!subject_ || subject_->id != subject.id) {
    attempts_ = 0;
    rejections_ = 0;
    proven_hangs_ = 0;
    hang_suspected_ = false;
    blocked_until_.reset();
  }
  ending_.reset();
  subject_ = std::move(subject);
}

void delivery::nothing_owed() {
  subject_.reset();
  ending_.reset();
  blocked_until_.reset();
  hang_suspected_ = false;
}

void delivery::found_corrupt(instant now) {
  corrupt_ = true;
  cause_ = "stored bytes differ from the pin";
  last_error_ = "corrupt";
  last_error_at_ = now;
  enter(delivery_state::blocked, now);
}

void delivery::restore_pause(instant now, milliseconds rest, bool by_peer) {
  pause_.restore(now, rest, by_peer);
  cause_ = by_peer ? "the bridge asked for a pause before the restart"
                   : "back-off from before the restart";
  enter(delivery_state::resting, now);
}

delivery_step delivery::next(instant now) const {
  if (corrupt_ || !subject_)
    return delivery_step::nothing;
  if (ending_)
    return delivery_step::settle;
  if (now < ready_at())
    return delivery_step::rest;
  return hang_suspected_ ? delivery_step::prove_alive : delivery_step::send;
}

void delivery::answered(const verdict& what, instant started, instant now,
                        double random_01) {
  WEIR_ASSERT(subject_.has_value());
  ++attempts_;
  if (what.kind == verdict_kind::accepted)
    accepted(started, now);
  else
    refused(what, started, now, random_01);
}

void delivery::accepted(instant started, instant now) {
  pause_.on_accepted(started);
  v1_worked_ = v1_worked_ || !legacy_path_;
  ending_ = settlement::delivered;
  cause_.clear();
  hang_suspected_ = false;
  blocked_until_.reset();
  enter(delivery_state::flowing, now);
}

void delivery::refused(const verdict& what, instant started, instant now,
                       double random_01) {
  cause_ = what.cause;
  last_error_ = what.cause;
  last_error_at_ = now;
  hang_suspected_ = what.kind == verdict_kind::no_verdict_hang;
  pause_.on_refused(started, now, what.retry_after, random_01);
  enter(delivery_state::resting, now);
  switch (what.kind) {
  case verdict_kind::rejected:
    ++rejections_;
    act_on(after_rejection(rejections_, subject_->elements, subject_->suspect,
                           bounds_.poison),
           now);
    break;
  case verdict_kind::too_big:
    if (after_too_big(subject_->elements) == poison_action::bisect)
      ending_ = settlement::split;
    else
      give_up(now);
    break;
  case verdict_kind::misconfigured_path:
    legacy_path_ = bounds_.legacy_paths && !v1_worked_ && !legacy_path_;
    break;
  default: break; // No verdict on the content: the pause is all there is.
  }
  if (ending_)
    pause_.end_own_pause(now); // A verdict is no overload: go on at once.
}

void delivery::act_on(poison_action action, instant now) {
  switch (action) {
  case poison_action::retry: break;
  case poison_action::bisect: ending_ = settlement::bisected; break;
  case poison_action::give_up: give_up(now); break;
  }
}

void delivery::give_up(instant now) {
  if (bounds_.dead_letter) {
    ending_ = settlement::dead_letter;
    return;
  }
  // Nothing passes it, but a bridge that was mended gets it at the next try.
  blocked_until_ = now + bounds_.pause.ceiling;
  enter(delivery_state::blocked, now);
}

void delivery::proved(bool alive, instant now) {
  hang_suspected_ = false;
  if (!alive || !subject_)
    return;
  ++proven_hangs_;
  act_on(after_hang(proven_hangs_, subject_->elements, subject_->suspect,
                    bounds_.poison),
         now);
}

void delivery::bridge_alive(instant now) {
  pause_.end_own_pause(now);
}

void delivery::no_room_for_dead_letters(instant now) {
  ending_.reset();
  cause_ = "no room for dead letters";
  blocked_until_ = now + bounds_.pause.ceiling;
  enter(delivery_state::blocked, now);
}

settlement delivery::ending() const {
  WEIR_ASSERT(ending_.has_value());
  return *ending_;
}

instant delivery::ready_at() const {
  const auto ready = pause_.ready_at();
  return blocked_until_ ? std::max(*blocked_until_, ready) : ready;
}

std::optional<delivery::stored_pause>
delivery::pause_to_store(instant now) const {
  const auto rest = duration_cast<milliseconds>(pause_.ready_at() - now);
  const bool by_peer = pause_.peer_asked(now);
  if (rest.count() <= 0
      || (!by_peer && rest < weir::limits::own_pause_stored_from))
    return {};
  return stored_pause{rest, by_peer};
}

void delivery::enter(delivery_state state, instant now) {
  if (state == state_)
    return;
  state_ = state;
  since_ = now;
}

} // namespace weir::policy
