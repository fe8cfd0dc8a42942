#include "actors/appservice_queue.hpp"
#include "actors/bounds_log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

// What an operator has done with a queue. A pause is stored at once, beside
// whatever is under way; a command that concerns the pinned transaction waits
// for the send of it.
namespace weir {

namespace {

const logger log_{"appservice"};

/// A person at the other end waits this long for a send to come back,
constexpr auto send_patience = std::chrono::seconds{5};
/// and this long in all before hearing that nothing was changed.
constexpr auto command_patience = std::chrono::seconds{20};
/// Each is a person who waits; more is a loop that went wrong.
constexpr size_t commands_waiting_max = 16;

command_done ended_with(command_result how) {
  command_done done;
  done.result = how;
  return done;
}

/// Not done; who asked is told what is pinned.
command_done refused_with(command_result why,
                          const std::optional<owed_transaction>& pinned) {
  auto refused = ended_with(why);
  refused.current = pinned ? pinned->id : txn_id{};
  return refused;
}

command_result result_of(policy::retry_ruling ruling) {
  switch (ruling) {
  case policy::retry_ruling::allowed: return command_result::done;
  case policy::retry_ruling::nothing_owed: return command_result::nothing_owed;
  case policy::retry_ruling::paused: return command_result::paused;
  case policy::retry_ruling::peer_asked: return command_result::bridge_asked;
  case policy::retry_ruling::not_held_up: return command_result::already;
  }
  return command_result::already;
}

bool is_pause(queue_verb verb) {
  return verb == queue_verb::pause || verb == queue_verb::resume;
}

bool removes(queue_verb verb) {
  return verb == queue_verb::skip || verb == queue_verb::retire;
}

} // namespace

void appservice_queue_state::command(const give_command& given) {
  ++wakes_seen_; // The directory counts it as one.
  if (draining_)
    return given.done.run(ended_with(command_result::draining));
  if (is_pause(given.what.verb))
    return store_halt(given);
  if (commands_.size() >= commands_waiting_max)
    return given.done.run(ended_with(command_result::busy));
  commands_.push_back({++last_ticket_, given});
  self_->arm(command_patience, command_overdue{last_ticket_});
  if (open_http_ != 0 && removes(given.what.verb))
    self_->arm(send_patience, give_up_send{open_http_});
  answer_those_in_flight();
  proceed();
}

/// A try that is under way is what `retry` asks for.
void appservice_queue_state::answer_those_in_flight() {
  auto& last = commands_.back().given;
  if (open_http_ == 0 || last.what.verb != queue_verb::retry)
    return;
  auto done = ended_with(command_result::already);
  done.sending = true;
  last.done.run(done);
  commands_.pop_back();
}

void appservice_queue_state::store_halt(const give_command& given) {
  const bool halted = given.what.verb == queue_verb::pause;
  ++halts_under_way_;
  // A pause holds from now on; what is not stored is ended by the next load.
  delivery_->set_halted(halted || delivery_->is_halted());
  self_
    ->request(writer(), store_timeout,
              halt_queue{given.what.appservice, halted, given.what.by,
                         given.what.reason, deadline()})
    .then([this, given](const queue_halted& now) { halt_stored(given, now); },
          [this, given](const caf::error& why) { halt_unknown(given, why); });
}

void appservice_queue_state::halt_stored(const give_command& given,
                                         const queue_halted& now) {
  --halts_under_way_;
  delivery_->set_halted(now.now.has_value());
  auto done = ended_with(now.command != 0 ? command_result::done
                                          : command_result::already);
  done.id = now.command;
  done.sending = open_http_ != 0;
  done.halted = now.now;
  log_.info("pause asked by operator appservice={} verb={} changed={} by={}",
            given.what.appservice.value, to_string(given.what.verb),
            now.command != 0, given.what.by);
  given.done.run(done);
  proceed();
}

/// It was stored or was not: the next load tells, and nothing is sent before.
void appservice_queue_state::halt_unknown(const give_command& given,
                                          const caf::error& why) {
  --halts_under_way_;
  given.done.run(fail(from_caf(why)));
  known_ = false;
  lost_ = true;
  proceed();
}

/// The oldest command. Comes when nothing is under way and what the store
/// holds is known.
void appservice_queue_state::take_command() {
  auto given = std::move(commands_.front().given);
  commands_.pop_front();
  removes(given.what.verb) ? end_lane_of(given) : consider_retry(given);
}

void appservice_queue_state::consider_retry(const give_command& given) {
  const auto now = self_->now();
  const auto ruling = delivery_->may_retry(given.what.force, now);
  if (ruling == policy::retry_ruling::allowed)
    return store_retry(given);
  auto refused = refused_with(result_of(ruling), pinned_);
  if (ruling == policy::retry_ruling::peer_asked)
    refused.until = store_now()
      + std::chrono::ceil<milliseconds>(delivery_->peer_asked_until() - now);
  given.done.run(refused);
  proceed();
}

void appservice_queue_state::store_retry(const give_command& given) {
  busy_ = true;
  self_
    ->request(writer(), store_timeout,
              end_back_off{given.what.appservice, given.what.force,
                           given.what.by, deadline()})
    .then(
      [this, given](const back_off_ended& what) { retry_stored(given, what); },
      [this, given](const caf::error& why) {
        given.done.run(fail(from_caf(why)));
        lost_track(why);
      });
}

void appservice_queue_state::retry_stored(const give_command& given,
                                          const back_off_ended& what) {
  busy_ = false;
  known_ = known_ && !delivery_->is_damaged();
  delivery_->retry(given.what.force, self_->now());
  auto done = ended_with(command_result::done);
  done.id = what.command;
  done.current = pinned_ ? pinned_->id : txn_id{};
  log_.info("retried by operator appservice={} by={} force={}",
            given.what.appservice.value, given.what.by, given.what.force);
  given.done.run(done);
  proceed();
}

/// A queue before this one may have sent it and ended: what is put aside must
/// not reach the bridge afterwards.
void appservice_queue_state::end_lane_of(const give_command& given) {
  busy_ = true;
  self_
    ->request(house_->transport, store_timeout,
              abort_lane{given.what.appservice.value})
    .then([this, given](const http_aborted&) { store_skip(given); },
          [this, given](const caf::error&) {
            busy_ = false;
            given.done.run(refused_with(command_result::in_flight, pinned_));
            proceed();
          });
}

void appservice_queue_state::store_skip(const give_command& given) {
  busy_ = true;
  const auto& what = given.what;
  skip_transaction request{what.appservice,
                           what.txn,
                           what.verb == queue_verb::retire,
                           delivery_->attempts(),
                           what.by,
                           config_.settings.bounds,
                           deadline()};
  self_->request(writer(), store_timeout, std::move(request))
    .then([this,
           given](const transaction_skipped& how) { skip_stored(given, how); },
          [this, given](const caf::error& why) {
            given.done.run(fail(from_caf(why)));
            lost_track(why);
          });
}

void appservice_queue_state::skip_stored(const give_command& given,
                                         const transaction_skipped& how) {
  busy_ = false;
  auto done = ended_with(how.result);
  done.id = how.command;
  done.current = how.current;
  done.elements = how.elements;
  const bool was_delivered = given.what.txn == delivered_last_;
  if (how.result == command_result::not_current && was_delivered)
    done.result = command_result::delivered;
  if (how.result == command_result::done) {
    log_.warn("transaction put aside by operator appservice={} verb={} txn={} "
              "elements={} by={}",
              given.what.appservice.value, to_string(given.what.verb),
              given.what.txn.value, how.elements, given.what.by);
    tell_bounds(log_, given.what.appservice, how.bounds);
    if (config_.board)
      config_.board->set_full(given.what.appservice, false); // There is room.
    delivery_->skipped(self_->now());
    ended_seq_ = std::max(ended_seq_, how.acked);
    take(how.next);
  }
  given.done.run(done);
  proceed();
}

void appservice_queue_state::overdue(uint64_t ticket) {
  const auto late = std::find_if(
    commands_.begin(), commands_.end(),
    [ticket](const waiting_command& each) { return each.ticket == ticket; });
  if (late == commands_.end())
    return; // It is being done, or was.
  late->given.done.run(refused_with(command_result::in_flight, pinned_));
  commands_.erase(late);
}

/// The answer of the send comes first, and with it the next step.
void appservice_queue_state::give_up(uint64_t http_id) {
  if (http_id != open_http_)
    return;
  given_up_ = http_id;
  self_->request(house_->transport, store_timeout, abort_http{http_id})
    .then([](const http_aborted&) {}, [](const caf::error&) {});
}

void appservice_queue_state::refuse_commands() {
  for (auto& each : std::exchange(commands_, {}))
    each.given.done.run(ended_with(command_result::draining));
}

} // namespace weir
