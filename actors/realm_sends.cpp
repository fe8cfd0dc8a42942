#include "actors/homeserver_requests.hpp"
#include "actors/policy/retry_after.hpp"
#include "actors/realm_queue.hpp"
#include "actors/stop_points.hpp"

#include <utility>

// What becomes of each send of a realm, from its permit to its outcome.
namespace weir {

namespace {

const logger log_{"realm"};

/// The pacer answers at once; it may be behind others.
constexpr auto pacer_timeout = std::chrono::seconds{30};
/// A sign-in has a few steps, each with its own deadlines.
constexpr auto sign_in_timeout = std::chrono::minutes{6};
constexpr auto abort_timeout = std::chrono::seconds{30};

end_send ended(policy::pause_effect effect, bool is_retried,
               std::optional<milliseconds> asked = {}, std::string cause = {}) {
  return {0, effect, asked, is_retried, std::move(cause)};
}

} // namespace

/// A permit may come for the send behind one that has its answer and is not
/// settled yet: it waits for that.
void realm_queue_state::take_permit(const send_permit& what) {
  if (draining_ || news_.is_halted)
    return return_unused(what.id);
  if (what.room.value.empty()) {
    bind_permits_.push_back(what.id);
    return;
  }
  const auto under_way = flights_.find(what.room);
  if (under_way != flights_.end()) {
    under_way->second.next = what.id;
    return;
  }
  if (!lanes_->start(what.room))
    return return_unused(what.id);
  flights_[what.room].permit = what.id;
  next_.begins.push_back({config_.realm, what.room, false, {}});
}

void realm_queue_state::return_unused(uint64_t permit) {
  if (permit != 0)
    self_->send(house_->pacer, return_permit{permit});
}

void realm_queue_state::take_next(const room_id& room, uint64_t permit) {
  if (permit != 0)
    take_permit({permit, room});
}

/// The store has noted that it may have been sent from now on.
void realm_queue_state::begun(const room_id& room,
                              const realm_send_begun& what) {
  const auto at = flights_.find(room);
  if (at == flights_.end())
    return;
  auto& of = at->second;
  if (!what.send && what.more) {
    next_.begins.push_back({config_.realm, room, false, {}});
    return;
  }
  if (!what.send) { // All of the lane ended: cancelled, unsubscribed.
    return_unused(of.permit);
    const auto next = of.next;
    flights_.erase(at);
    if (lanes_->settled(room, std::nullopt))
      withdraw({room});
    return return_unused(next);
  }
  of.what = *what.send;
  if (of.what.rest.count() > 0) {
    return_unused(of.permit);
    return wait(room, of.what.rest);
  }
  clear(room);
}

/// Right before anything leaves for the homeserver, a sign-in included.
void realm_queue_state::clear(const room_id& room) {
  auto& of = flights_.at(room);
  if (of.permit == 0 || draining_) {
    return_unused(of.permit);
    return give_up(room, false);
  }
  self_->request(house_->pacer, pacer_timeout, clear_send{of.permit, room})
    .then(
      [this, room](const send_cleared& what) {
        auto& mine = flights_.at(room);
        if (what.how == policy::begin_result::go)
          return sign_in(room);
        bind_offered_ = bind_offered_ && !mine.was_bind;
        give_up(room, mine.permit != 0 && !mine.was_bind);
        proceed();
      },
      [this, room](const caf::error&) { // The pacer is gone, and its permits.
        give_up(room, false);
        proceed();
      });
}

void realm_queue_state::sign_in(const room_id& room) {
  if (session_ && session_->session != lost_session_)
    return send(room);
  self_->request(house_->session, sign_in_timeout, open_session{lost_session_})
    .then(
      [this, room](const session_opened& made) {
        if (made.session == 0) {
          retry(room, ended(made.effect, true, made.asked, made.cause));
          return proceed();
        }
        session_ = made;
        lost_session_ = 0;
        send(room);
        proceed();
      },
      [this, room](const caf::error&) {
        retry(room, ended(policy::pause_effect::unknown, true));
        proceed();
      });
}

/// Of a pacer that ended meanwhile the permit is void.
void realm_queue_state::send(const room_id& room) {
  auto& of = flights_.at(room);
  if (of.permit == 0 || draining_)
    return retry(room, ended(policy::pause_effect::unknown, true));
  of.session = session_->session;
  request(room, send_request_to(of_, *session_, room, of.what),
          &realm_queue_state::answered);
}

/// A transport that ended has closed all its connections. One that is silent
/// beyond all deadlines has to confirm that this one is closed, or to end.
void realm_queue_state::request(const room_id& room, http_request what,
                                answer_handler then) {
  const auto id = flights_.at(room).http = next_http_id();
  const auto patience = patience_with(what);
  self_
    ->request(house_->transport, patience,
              send_http{id, send_lane(room), std::move(what)})
    .then(
      [this, room, id, then](const http_answer& answer) {
        came_back(room, id, answer, then);
      },
      [this, room, id, then](const caf::error& why) {
        const auto none = unanswered(no_answer::aborted, "no answer inside");
        if (!timed_out(why))
          return came_back(room, id, none, then);
        self_->request(house_->transport, abort_timeout, abort_http{id})
          .then(
            [=, this](const http_aborted&) { came_back(room, id, none, then); },
            [=, this](const caf::error&) { came_back(room, id, none, then); });
      });
}

void realm_queue_state::came_back(const room_id& room, uint64_t id,
                                  const http_answer& answer,
                                  answer_handler then) {
  const auto at = flights_.find(room);
  if (at == flights_.end() || at->second.http != id)
    return;
  at->second.http = 0;
  (this->*then)(room, answer);
  proceed();
}

void realm_queue_state::answered(const room_id& room,
                                 const http_answer& answer) {
  auto& of = flights_.at(room);
  const auto reply = read_send_reply(answer);
  const auto verdict = policy::judge_send(reply.of, of.what.attempts);
  of.what.attempts += verdict.uses_attempt ? 1 : 0;
  of.what.may_be_stored = of.what.may_be_stored || verdict.may_be_stored;
  const auto asked = policy::retry_after(answer, {});
  switch (verdict.action) {
  case policy::send_action::delivered:
    stop_point("before_realm_settle");
    end_permit(of, ended(verdict.effect, false, asked));
    return settle(room, send_outcome::delivered, reply.event_id, {});
  case policy::send_action::check_membership: return look_up(room);
  case policy::send_action::log_in: return sign_in_again(room);
  case policy::send_action::dead_letter:
    log_.warn("realm event rejected realm={} event={} room={} cause={} "
              "action=see its outcome, it can be redelivered",
              config_.realm.value, of.what.event_id, room.value, verdict.cause);
    end_permit(of, ended(verdict.effect, false, asked, verdict.cause));
    return settle(room, send_outcome::failed, {}, verdict.cause);
  case policy::send_action::retry: break;
  }
  log_.warn("realm event refused realm={} event={} cause={} attempts={} "
            "detail={}",
            config_.realm.value, of.what.event_id, verdict.cause,
            of.what.attempts, answer.detail);
  const auto room_asked = verdict.effect == policy::pause_effect::room
    ? asked.value_or(milliseconds{0})
    : milliseconds{0};
  if (verdict.uses_attempt || room_asked.count() > 0)
    next_.tries.push_back({config_.realm,
                           of.what.seq,
                           room,
                           of.what.txn,
                           of.what.attempts,
                           of.what.may_be_stored,
                           verdict.cause,
                           room_asked,
                           {}});
  retry(room, ended(verdict.effect, true, asked, verdict.cause));
}

/// The wording of a refusal proves nothing: is the sender in that room?
void realm_queue_state::look_up(const room_id& room) {
  request(room, joined_rooms_request_to(of_, *session_),
          &realm_queue_state::looked_up);
}

void realm_queue_state::looked_up(const room_id& room,
                                  const http_answer& answer) {
  auto& of = flights_.at(room);
  const auto joined = read_joined(answer, room);
  if (!joined) {
    const auto why = policy::judge_send(read_send_reply(answer).of, 0);
    const auto effect = why.action == policy::send_action::log_in
        || why.action == policy::send_action::delivered
      ? policy::pause_effect::unknown
      : why.effect;
    return retry(
      room, ended(effect, true, policy::retry_after(answer, {}), why.cause));
  }
  log_.warn("realm event has no way into a room realm={} event={} room={} "
            "is_joined={} action=invite the sender, then subscribe again",
            config_.realm.value, of.what.event_id, room.value, *joined);
  end_permit(of, ended(policy::pause_effect::none, false, {}, "forbidden"));
  settle(room, *joined ? send_outcome::failed : send_outcome::not_joined, {},
         "forbidden");
}

/// Once for each permit: who ends our sessions at once is no matter of this
/// event.
void realm_queue_state::sign_in_again(const room_id& room) {
  auto& of = flights_.at(room);
  if (std::exchange(of.signed_in_again, true))
    return retry(
      room,
      ended(policy::pause_effect::account_held, true, {}, "session_ends"));
  // Another may have signed in since this one was sent.
  if (of.session == session_->session)
    lost_session_ = of.session;
  sign_in(room);
}

void realm_queue_state::end_permit(flight& of, end_send how) {
  how.permit = std::exchange(of.permit, 0);
  if (how.permit == 0)
    return;
  self_->request(house_->pacer, pacer_timeout, std::move(how))
    .then([](const send_over&) {}, [](const caf::error&) {});
}

void realm_queue_state::settle(const room_id& room, send_outcome how,
                               const std::string& id,
                               const std::string& cause) {
  const auto& of = flights_.at(room).what;
  next_.settles.push_back(
    {config_.realm, of.seq, room, of.txn, how, id, cause, of.attempts, {}});
}

void realm_queue_state::settled(const room_id& room,
                                const realm_send_settled& what) {
  const auto of = flights_.extract(room);
  if (of.empty())
    return;
  if (lanes_->settled(room, what.next))
    withdraw({room});
  take_next(room, of.mapped().next);
}

/// The same comes again, when the pacer says that its room may be sent to.
void realm_queue_state::retry(const room_id& room, const end_send& how) {
  auto& of = flights_.at(room);
  auto mine = how;
  mine.permit = std::exchange(of.permit, 0);
  if (mine.permit == 0)
    return wait(room, milliseconds{0});
  self_->request(house_->pacer, pacer_timeout, std::move(mine))
    .then(
      [this, room](const send_over& over) {
        wait(room, over.room_rests);
        proceed();
      },
      [this, room](const caf::error&) {
        wait(room, milliseconds{0});
        proceed();
      });
}

/// It is the head of its lane still, and offered again when it may go.
void realm_queue_state::wait(const room_id& room, milliseconds rest) {
  const auto of = flights_.extract(room);
  const auto now = self_->now();
  if (lanes_->retried(room, now + rest, now))
    withdraw({room});
  rest.count() > 0 ? return_unused(of.mapped().next)
                   : take_next(room, of.mapped().next);
}

/// It did not leave. @param is_offered The pacer has its offer of the room
/// back.
void realm_queue_state::give_up(const room_id& room, bool is_offered) {
  if (!is_offered)
    return wait(room, milliseconds{0});
  const auto of = flights_.extract(room);
  if (lanes_->given_back(room))
    withdraw({room});
  take_next(room, of.mapped().next);
}

void realm_queue_state::withdraw(std::vector<room_id> rooms) {
  self_->send(house_->pacer,
              withdraw_sends{config_.realm, std::move(rooms),
                             caf::actor_cast<realm_queue_actor>(self_)});
}

} // namespace weir
