#include "actors/appservice_queue.hpp"

#include "actors/appservice_requests.hpp"
#include "actors/bounds_log.hpp"
#include "actors/stop_points.hpp"

#include <algorithm>

namespace weir {

namespace {

const logger log_{"appservice"};

using std::chrono::duration_cast;

/// After anything unknown: enough for the supervisor to restart a writer.
constexpr auto reload_pause = std::chrono::milliseconds{200};
/// The transport answers by its own deadlines; this is beyond them all.
constexpr auto transport_grace = std::chrono::seconds{10};

} // namespace

appservice_queue_state::~appservice_queue_state() {
  show_sending(config_.board, config_.settings.id, {});
  for (auto& waiting : drainers_)
    waiting.deliver(drained{});
}

appservice_queue_actor::behavior_type
appservice_queue_state::start(appservice_queue_config config,
                              std::shared_ptr<const peers> house) {
  config_ = std::move(config);
  house_ = std::move(house);
  delivery_.emplace(config_.settings.limits);
  random_.seed(config_.seed);
  return {
    [this](const wake& what) { woken(what); },
    [this](const bridge_alive&) {
      delivery_->bridge_alive(self_->now());
      proceed();
    },
    [this](const pause_over& timer) {
      if (timer.armed != armed_)
        return;
      rests_until_.reset();
      proceed();
    },
    [this](const idle_check&) { consider_leaving(); },
    [this](const tick&) { publish(); },
    [this](const slow_look&) {
      slow_armed_ = false;
      publish();
    },
    [this](const give_command& given) { command(given); },
    [this](const command_overdue& late) { overdue(late.ticket); },
    [this](const give_up_send& which) { give_up(which.http_id); },
    [this](const drain_request&) { return drain(); },
    [this](const use_queue_settings& now) { use(now.value); },
    [this](const use_peers& now) { house_ = now.value; },
  };
}

void appservice_queue_state::woken(const wake& what) {
  ++wakes_seen_;
  if (busy_) {
    woken_ = true; // The request under way may have missed the new row.
    return;
  }
  if (!pinned_ && may_take(what))
    take(what.pinned);
  else if (!pinned_)
    known_ = false;
  proceed();
}

/// The pinned bytes stay; where and with which token they go is read anew for
/// each send (a6).
void appservice_queue_state::use(queue_settings now) {
  config_.settings = std::move(now);
  delivery_->settings_changed(config_.settings.limits, self_->now());
  proceed();
}

/// A wake may come late: what it names was loaded, sent and ended meanwhile, by
/// this actor or the one before it, and to send it again would go back to an
/// older id (E2). So a new actor asks the store first, and one that found no
/// cursor there does: it does not know what an appservice of that id was sent
/// before it was removed.
bool appservice_queue_state::may_take(const wake& what) const {
  return what.pinned && !lost_ && ended_seq_ > 0
    && what.pinned->first_seq > ended_seq_;
}

/// The one place where the next step is taken. What must survive a restart is
/// stored before.
void appservice_queue_state::proceed() {
  if (busy_ || leaving_)
    return;
  if (const auto pause = delivery_->pause_to_store(self_->now()))
    return keep_pause(*pause);
  take_step();
}

void appservice_queue_state::take_step() {
  if (draining_)
    return finish_drain();
  // With one pinned, its settlement tells what comes next.
  known_ = known_ && (pinned_ || !woken_);
  if (!known_)
    return load();
  if (!commands_.empty() && delivery_->gives_way_to_command())
    return take_command();
  switch (delivery_->next(self_->now())) {
  case policy::delivery_step::send: send(); break;
  case policy::delivery_step::settle: settle(); break;
  case policy::delivery_step::prove_alive: prove_alive(); break;
  case policy::delivery_step::rest: rest(); break;
  case policy::delivery_step::nothing: go_idle(); break;
  }
  tell_status();
}

void appservice_queue_state::load() {
  busy_ = true;
  woken_ = false;
  self_
    ->request(
      writer(), store_timeout,
      load_queue{config_.settings.id, config_.settings.bounds, deadline()})
    .then([this](const queue_loaded& what) { loaded(what); },
          [this](const caf::error& why) { lost_track(why); });
}

void appservice_queue_state::loaded(const queue_loaded& what) {
  busy_ = false;
  lost_ = false;
  ended_seq_ = std::max(ended_seq_, what.acked);
  delivery_->restore_story(self_->now(), what.story);
  if (what.corrupt) {
    delivery_->found_corrupt(self_->now());
    log_.error("pinned transaction is damaged appservice={} action=nothing is "
               "sent, see docs/operations.md",
               config_.settings.id.value);
  }
  // A pause that is being stored is told by what stores it.
  if (halts_under_way_ == 0)
    delivery_->set_halted(what.halted.has_value());
  if (what.rest.count() > 0)
    delivery_->restore_pause(self_->now(), what.rest,
                             what.paused_by == pause_cause::peer);
  take(what.pinned);
  proceed();
}

void appservice_queue_state::take(std::optional<owed_transaction> pinned) {
  known_ = !woken_ || pinned.has_value();
  woken_ = false;
  pinned_ = std::move(pinned);
  taken_at_ = self_->now();
  if (pinned_)
    delivery_->pinned({pinned_->id.value, pinned_->elements, pinned_->suspect},
                      self_->now());
  else
    delivery_->nothing_owed(self_->now());
}

void appservice_queue_state::send() {
  busy_ = true;
  const auto started = self_->now();
  const auto id = next_http_id();
  http_began(id);
  auto request = transaction_request_to(config_.settings, *pinned_,
                                        delivery_->use_legacy_path());
  const auto& limits = request.deadlines;
  const auto timeout
    = limits.connect + limits.answer + limits.body + transport_grace;
  self_
    ->request(house_->transport, timeout,
              send_http{id, config_.settings.id.value, std::move(request)})
    .then(
      [this, started, id](const http_answer& answer) {
        came_back(answer, started, id);
      },
      [this, started, id](const caf::error& why) { unsent(id, started, why); });
}

/// A transport that ended has closed all its connections. One that did not
/// answer within all its deadlines has to confirm that this one is closed
/// before anything else is sent.
void appservice_queue_state::unsent(uint64_t id, instant started,
                                    const caf::error& why) {
  if (!timed_out(why))
    return interrupted();
  self_->request(house_->transport, store_timeout, abort_http{id})
    .then(
      [this, started](const http_aborted&) {
        answered(unanswered(no_answer::aborted, "given up"), started);
      },
      [this, started](const caf::error& silence) {
        timed_out(silence)
          ? answered(unanswered(no_answer::aborted, "it does not end"), started)
          : interrupted();
      });
}

/// One that a command had given up says nothing of the bridge.
void appservice_queue_state::came_back(const http_answer& answer,
                                       instant started, uint64_t id) {
  const bool ours = id == given_up_ && answer.failure == no_answer::aborted;
  ours ? interrupted() : answered(answer, started);
}

void appservice_queue_state::http_began(uint64_t id) {
  open_http_ = id;
  sending_since_ = self_->now();
  show_sending(config_.board, config_.settings.id, sending_since_);
}

void appservice_queue_state::http_ended() {
  busy_ = false;
  open_http_ = 0;
  show_sending(config_.board, config_.settings.id, {});
}

/// No word of the bridge: the same goes again, under the same id.
void appservice_queue_state::interrupted() {
  http_ended();
  delivery_->interrupted(self_->now());
  proceed();
}

void appservice_queue_state::answered(const http_answer& answer,
                                      instant started) {
  http_ended();
  const auto now = self_->now();
  const auto verdict = policy::judge(answer, store_now());
  const double spread
    = std::uniform_real_distribution<double>{0.0, 1.0}(random_);
  delivery_->answered(verdict, started, now, spread);
  if (config_.board)
    config_.board->set_unreachable(config_.settings.id,
                                   never_connected(answer));
  if (verdict.kind == policy::verdict_kind::accepted)
    stop_point("before_ack_commit");
  else
    tell_refusal(log_, config_.settings.id, *pinned_, *delivery_, verdict,
                 answer, now);
  tell_blocked(log_, config_.settings.id, *pinned_, *delivery_);
  proceed();
}

/// Without the store the pause holds in memory all the same, and is stored at
/// the next step that can.
void appservice_queue_state::keep_pause(
  const policy::delivery::stored_pause& pause) {
  busy_ = true;
  self_
    ->request(writer(), store_timeout,
              store_pause{config_.settings.id, pause.rest,
                          pause.by_peer ? pause_cause::peer : pause_cause::own,
                          deadline()})
    .then(
      [this, pause](const stored&) {
        busy_ = false;
        delivery_->pause_stored(pause, true);
        proceed();
      },
      [this, pause](const caf::error&) {
        busy_ = false;
        delivery_->pause_stored(pause, false);
        take_step();
      });
}

void appservice_queue_state::prove_alive() {
  busy_ = true;
  auto request = ping_request_to(config_.settings);
  const auto timeout = request.deadlines.connect + request.deadlines.answer
    + request.deadlines.body + transport_grace;
  const auto id = next_http_id();
  http_began(id);
  self_
    ->request(house_->transport, timeout, send_http{id, {}, std::move(request)})
    .then(
      [this, id](const http_answer& answer) {
        id == given_up_ ? interrupted() : proved(shows_life(answer));
      },
      [this](const caf::error& why) {
        timed_out(why) ? proved(false) : interrupted();
      });
}

void appservice_queue_state::proved(bool alive) {
  http_ended();
  delivery_->proved(alive, self_->now());
  tell_blocked(log_, config_.settings.id, *pinned_, *delivery_);
  proceed();
}

/// How it ends is kept here: a reload may change what is to come of it.
void appservice_queue_state::settle() {
  busy_ = true;
  const auto how = delivery_->ending();
  settle_transaction request{
    config_.settings.id, pinned_->id,           how,
    delivery_->cause(),  delivery_->attempts(), config_.settings.bounds,
    deadline()};
  self_->request(writer(), store_timeout, std::move(request))
    .then([this, how](const transaction_settled& what) { settled(what, how); },
          [this](const caf::error& why) { lost_track(why); });
}

void appservice_queue_state::settled(const transaction_settled& what,
                                     settlement how) {
  busy_ = false;
  if (what.no_room) {
    delivery_->no_room_for_dead_letters(self_->now());
    log_.error("no room for dead letters appservice={} action=replay or drop "
               "some: the queue holds what it has",
               config_.settings.id.value);
    return proceed();
  }
  if (what.not_current) {
    pinned_.reset();
    known_ = false;
    lost_ = true;
    return proceed();
  }
  tell_bounds(log_, config_.settings.id, what.bounds);
  tell_settled(log_, config_.settings.id, *pinned_, *delivery_, how);
  if (how == settlement::delivered)
    delivered_last_ = pinned_->id;
  const bool gone
    = how == settlement::delivered || how == settlement::dead_letter;
  ended_seq_ = std::max(ended_seq_, gone ? pinned_->last_seq : 0);
  if (config_.board)
    config_.board->set_full(config_.settings.id, false); // There is room again.
  take(what.next);
  proceed();
}

/// What the store holds is not known any more. The load goes to the same
/// writer and so lies behind whatever is unknown.
void appservice_queue_state::lost_track(const caf::error& why) {
  const auto what = from_caf(why);
  log_.warn("store did not answer appservice={} code={} what={}",
            config_.settings.id.value, to_string(what.code), what.context);
  busy_ = false;
  known_ = false;
  lost_ = true;
  pinned_.reset();
  if (draining_)
    return finish_drain();
  rests_until_.reset();
  self_->arm(reload_pause, pause_over{++armed_});
}

void appservice_queue_state::rest() {
  const auto until = delivery_->ready_at();
  if (rests_until_ == until)
    return; // Armed already: each wake would add a timer of many minutes.
  rests_until_ = until;
  self_->arm(until - self_->now(), pause_over{++armed_});
}

/// The store's time, to tell the century of dates that bridges name.
stored_time appservice_queue_state::store_now() const {
  return pinned_->as_of + duration_cast<milliseconds>(self_->now() - taken_at_);
}

instant appservice_queue_state::deadline() const {
  return self_->now() + limits::operation_deadline;
}

const store_writer_actor& appservice_queue_state::writer() const {
  return house_->writer_of(config_.settings.id);
}

} // namespace weir
