#include "actors/policy/delivery.hpp"

#include "schema/error.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <utility>

namespace weir::policy {

namespace {

/// Enough for a transport to be started again. Without jitter: the request goes
/// to nobody but the one bridge that has it already.
constexpr milliseconds first_interruption{200};

backoff::limits limits_of_interruption(const backoff::limits& pause) {
  return {first_interruption, std::max(pause.ceiling, first_interruption), 0};
}

/// Of a pause whose refusal is not known any more, or is not of this queue's
/// transaction.
std::string_view cause_of_pause(bool by_peer) {
  return by_peer ? "the bridge asked for a pause" : "back-off";
}

constexpr std::string_view damage = "stored bytes differ from the pin";
constexpr std::string_view no_room = "no room for dead letters";

delivery_state state_called(std::string_view name) {
  for (const auto each : {delivery_state::resting, delivery_state::blocked})
    if (to_string(each) == name)
      return each;
  return delivery_state::flowing;
}

} // namespace

std::string_view to_string(delivery_state state) noexcept {
  switch (state) {
  case delivery_state::flowing: return "flowing";
  case delivery_state::resting: return "resting";
  case delivery_state::blocked: return "blocked";
  }
  return "unknown";
}

delivery::delivery(limits bounds)
  : bounds_{bounds},
    pause_{bounds.pause},
    interruption_{limits_of_interruption(bounds.pause)} {
}

void delivery::pinned(delivery_subject subject, instant now) {
  WEIR_ASSERT(subject.elements > 0);
  if (!subject_ || subject_->id != subject.id) {
    const bool goes_on = is_told_of(subject.id);
    if (!begun_ && !goes_on && state_ == delivery_state::blocked)
      cause_.clear(); // It was about something else.
    forget_subject();
    if (goes_on && state_ == delivery_state::blocked)
      blocked_until_ = now;
    const bool rests = now < ready_at();
    if (!goes_on)
      enter(rests ? delivery_state::resting : delivery_state::flowing, now);
    if (rests && cause_.empty())
      cause_ = cause_of_pause(pause_.peer_asked(now));
  }
  subject_ = std::move(subject);
}

/// Whether the story is about this transaction: what was told of it holds until
/// the bridge takes it. Bytes that are whole again are not damaged.
bool delivery::is_told_of(const std::string& id) const {
  return !begun_ && state_ != delivery_state::flowing && told_subject_ == id
    && cause_ != damage;
}

void delivery::nothing_owed(instant now) {
  forget_subject();
  enter(delivery_state::flowing, now);
}

void delivery::forget_subject() {
  begun_ = true;
  subject_.reset();
  ending_.reset();
  blocked_until_.reset();
  hang_suspected_ = false;
  attempts_ = 0;
  rejections_ = 0;
  proven_hangs_ = 0;
}

void delivery::found_corrupt(instant now) {
  enter(delivery_state::blocked, now);
  corrupt_ = true;
  cause_ = damage;
  if (last_error_ != "corrupt")
    last_error_at_ = now;
  last_error_ = "corrupt";
  last_error_text_.clear();
}

void delivery::restore_story(instant now,
                             const std::optional<queue_story>& told) {
  if (begun_)
    return;
  since_ = now;
  if (!told)
    return;
  state_ = state_called(told->state);
  since_ = now - told->in_state;
  if (state_ != delivery_state::flowing)
    cause_ = told->cause;
  told_subject_ = told->subject;
  last_error_ = told->last_error;
  last_error_text_ = told->last_error_text;
  last_error_at_ = now - told->since_error;
}

void delivery::restore_pause(instant now, milliseconds rest, bool by_peer) {
  kept_.holds(now + rest, by_peer);
  if (begun_ || corrupt_ || rest <= milliseconds{0})
    return;
  pause_.restore(now, rest, by_peer);
  if (seen_alive_)
    pause_.end_own_pause(now);
  if (state_ != delivery_state::flowing)
    return; // What is pinned tells whether that holds.
  cause_ = cause_of_pause(by_peer);
  enter(delivery_state::resting, now);
}

delivery_step delivery::next(instant now) const {
  if (corrupt_ || !subject_)
    return delivery_step::nothing;
  if (ending_)
    return delivery_step::settle;
  if (halted_)
    return delivery_step::nothing;
  if (now < ready_at())
    return delivery_step::rest;
  return hang_suspected_ ? delivery_step::prove_alive : delivery_step::send;
}

void delivery::answered(const verdict& what, instant started, instant now,
                        double random_01) {
  WEIR_ASSERT(subject_.has_value());
  ++attempts_;
  interruption_.on_accepted(started);
  if (what.kind == verdict_kind::accepted)
    accepted(started, now);
  else
    refused(what, started, now, random_01);
  if (is_of_before(started))
    end_what_we_chose(now);
}

/// Whoever answers such a send may be another bridge than the one that is
/// served now: only that it was taken is left to count.
bool delivery::is_of_before(instant started) const {
  return started < settings_changed_at_;
}

void delivery::accepted(instant started, instant now) {
  pause_.on_accepted(started);
  v1_worked_ = v1_worked_ || (!legacy_path_ && !is_of_before(started));
  ending_ = settlement::delivered;
  blocked_until_.reset();
  enter(delivery_state::flowing, now);
}

void delivery::refused(const verdict& what, instant started, instant now,
                       double random_01) {
  // Until it is given up once more nothing is known of room for it.
  const bool waits_for_room = blocked_until_ && cause_ == no_room
    && what.kind == verdict_kind::rejected;
  last_error_ = what.cause;
  last_error_text_ = what.detail;
  last_error_at_ = now;
  if (!is_of_before(started)) {
    hang_suspected_ = what.kind == verdict_kind::no_verdict_hang;
    weigh(what.kind, now);
  }
  if (ending_ || !waits_for_room)
    cause_ = what.cause;
  if (ending_) {
    // The queue goes on at once, with other bytes: what is told of it stays as
    // it is until those are known.
    pause_.on_verdict(now, what.retry_after, random_01);
    return;
  }
  pause_.on_refused(started, now, what.retry_after, random_01);
  enter(blocked_until_ ? delivery_state::blocked : delivery_state::resting,
        now);
}

/// What the answer says of the content and of the path. Of all other kinds the
/// pause is all there is.
void delivery::weigh(verdict_kind kind, instant now) {
  switch (kind) {
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
  default: break;
  }
}

void delivery::act_on(poison_action action, instant now) {
  switch (action) {
  case poison_action::retry: break;
  case poison_action::bisect: ending_ = settlement::bisected; break;
  case poison_action::give_up: give_up(now); break;
  }
}

void delivery::give_up(instant now) {
  if (bounds_.dead_letter)
    ending_ = settlement::dead_letter;
  else
    block(now);
}

/// Nothing passes it, but a bridge that was mended gets it at the next try.
void delivery::block(instant now) {
  blocked_until_ = now + bounds_.pause.ceiling;
  enter(delivery_state::blocked, now);
}

void delivery::interrupted(instant now) {
  interruption_.on_refused(now, now, {}, 0);
  if (state_ != delivery_state::flowing)
    return;
  cause_ = "our own transport was restarted";
  enter(delivery_state::resting, now);
}

void delivery::proved(bool alive, instant now) {
  const bool asked = std::exchange(hang_suspected_, false);
  interruption_.on_accepted(now);
  if (!alive || !subject_ || !asked)
    return;
  ++proven_hangs_;
  act_on(after_hang(proven_hangs_, subject_->elements, subject_->suspect,
                    bounds_.poison),
         now);
}

void delivery::bridge_alive(instant now) {
  seen_alive_ = true;
  pause_.end_own_pause(now);
}

void delivery::settings_changed(limits bounds, instant now) {
  bounds_ = bounds;
  pause_.use_limits(bounds.pause);
  interruption_.use_limits(limits_of_interruption(bounds.pause));
  // Another path may lead to another bridge.
  legacy_path_ = false;
  v1_worked_ = false;
  settings_changed_at_ = now;
  forget_verdicts();
  end_what_we_chose(now);
}

/// What was taken stays taken. A settlement that is under way takes its course:
/// what it comes to is loaded.
void delivery::forget_verdicts() {
  if (ending_ != settlement::delivered)
    ending_.reset();
  hang_suspected_ = false;
  rejections_ = 0;
  proven_hangs_ = 0;
}

void delivery::end_what_we_chose(instant now) {
  if (blocked_until_)
    blocked_until_ = now;
  bridge_alive(now);
}

void delivery::no_room_for_dead_letters(instant now) {
  if (!ending_)
    return;
  ending_.reset();
  block(now);
  cause_ = no_room;
}

retry_ruling delivery::may_retry(bool force, instant now) const {
  if (halted_)
    return retry_ruling::paused;
  if (corrupt_)
    return retry_ruling::allowed;
  if (!subject_)
    return retry_ruling::nothing_owed;
  if (now >= ready_at())
    return retry_ruling::not_held_up;
  if (pause_.peer_asked(now) && !force)
    return retry_ruling::peer_asked;
  return retry_ruling::allowed;
}

void delivery::retry(bool force, instant now) {
  forget_damage();
  end_what_we_chose(now);
  interruption_.end_own_pause(now);
  if (force)
    pause_.end_every_pause(now);
}

void delivery::skipped(instant now) {
  forget_damage();
  forget_subject();
  pause_.end_own_pause(now);
  interruption_.end_own_pause(now);
}

std::string delivery::subject() const {
  return subject_ && state_ != delivery_state::flowing ? subject_->id
                                                       : std::string{};
}

/// What is loaded next shows whether it is mended.
void delivery::forget_damage() {
  corrupt_ = false;
}

settlement delivery::ending() const {
  WEIR_ASSERT(ending_.has_value());
  return *ending_;
}

instant delivery::ready_at() const {
  const auto ready = std::max(pause_.ready_at(), interruption_.ready_at());
  return blocked_until_ ? std::max(*blocked_until_, ready) : ready;
}

std::optional<delivery::stored_pause>
delivery::pause_to_store(instant now) const {
  const auto until = pause_.ready_at();
  // Rounded up: what is restored must not end before what the peer asked for.
  const auto rest
    = std::max(std::chrono::ceil<milliseconds>(until - now), milliseconds{0});
  const bool by_peer = pause_.peer_asked(now);
  const bool must_last = by_peer || rest >= weir::limits::own_pause_stored_from;
  if (!kept_.must_write(now, until, by_peer, must_last))
    return {};
  return stored_pause{rest, by_peer, until};
}

void delivery::pause_stored(const stored_pause& what, bool is_done) {
  if (is_done)
    kept_.holds(what.until, what.by_peer);
  else
    kept_.may_hold(what.until);
}

void delivery::enter(delivery_state state, instant now) {
  if (corrupt_)
    return; // Whatever else happens, a person must act.
  if (state == delivery_state::flowing)
    cause_.clear();
  if (state == state_)
    return;
  state_ = state;
  since_ = now;
}

} // namespace weir::policy
