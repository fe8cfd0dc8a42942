#include "actors/pacer.hpp"

#include "actors/homeserver_requests.hpp"

#include <algorithm>
#include <utility>

namespace weir {

namespace {

const logger log_{"pacer"};

constexpr auto store_timeout
  = limits::operation_deadline + limits::operation_commit_grace;
/// After a store that did not answer: enough for a writer to be restarted.
constexpr auto retry_pause = std::chrono::milliseconds{200};
/// Rooms that a person is told of.
constexpr size_t slow_rooms_told = 10;

policy::turn_source source_of(const std::string& realm) {
  return {send_class::bulk, realm};
}

} // namespace

pacer_actor::behavior_type
pacer_state::start(std::shared_ptr<const house_settings> settings,
                   uint64_t seed, std::shared_ptr<const peers> house) {
  of_ = settings->realms;
  house_ = std::move(house);
  random_.seed(seed);
  pacer_.emplace(of_.pace, self_->now());
  self_->set_down_handler([this](caf::down_msg& down) {
    replaced_.erase(down.source);
    for (const auto& [realm, each] : offerers_)
      if (each.queue.address() == down.source)
        return forget(std::string{realm});
  });
  close_lanes();
  load();
  return {
    [this](const offer_sends& what) { offer(what); },
    [this](const withdraw_sends& what) { withdraw(what); },
    [this](const clear_send& what) { return clear(what); },
    [this](const end_send& what) { return end(what); },
    [this](const return_permit& what) { give_back(what); },
    [this](const read_pace&) { return view(); },
    [this](const pause_over& timer) {
      if (timer.armed != armed_)
        return;
      wakes_at_.reset();
      keep_pause();
      grant();
    },
    [this](const tick&) {
      retry_armed_ = false;
      is_loaded_ ? keep_pause() : load();
    },
    [this](const use_peers& now) { house_ = now.value; },
  };
}

/// A transport that ended has closed all its connections. One that says nothing
/// is asked again.
void pacer_state::close_lanes() {
  self_->request(house_->transport, store_timeout, abort_lanes{send_lanes})
    .then(
      [this](const http_aborted&) {
        lanes_closed_ = true;
        grant();
      },
      [this](const caf::error& why) {
        if (timed_out(why))
          return close_lanes();
        lanes_closed_ = true;
        grant();
      });
}

/// Until it is known how long the account rests nothing is sent (G7).
void pacer_state::load() {
  self_->request(writer(), store_timeout, load_account{of_.account, deadline()})
    .then(
      [this](const account_loaded& found) {
        is_loaded_ = true;
        held_stored_ = found.held_cause;
        if (found.rest.count() > 0)
          pacer_->restore(self_->now(), found.rest,
                          found.paused_by == pause_cause::peer);
        grant();
      },
      [this](const caf::error&) {
        if (!std::exchange(retry_armed_, true))
          self_->arm(retry_pause, tick{});
      });
}

/// All that may start now; and a timer for what may later.
void pacer_state::grant() {
  if (!is_loaded_ || !lanes_closed_)
    return;
  auto next = pacer_->next_start(self_->now());
  for (; next.start; next = pacer_->next_start(self_->now())) {
    const auto& realm = next.start->source.id;
    open_[next.start->id] = {realm, next.start->room, false};
    auto& to = offerers_.at(realm);
    to.rooms.erase(next.start->room);
    self_->send(to.queue, send_permit{next.start->id, next.start->room});
  }
  if (!next.wake_at || wakes_at_ == next.wake_at)
    return;
  wakes_at_ = next.wake_at;
  self_->arm(*next.wake_at - self_->now(), pause_over{++armed_});
}

/// A queue that was restarted may speak before the end of the one before is
/// heard of.
void pacer_state::offer(const offer_sends& what) {
  const auto& realm = what.realm.value;
  const auto known = offerers_.find(realm);
  const bool is_other
    = known != offerers_.end() && known->second.queue != what.from;
  if (replaced_.contains(what.from.address()))
    return; // It ends, and does not know yet.
  if (is_other) {
    replaced_.insert(known->second.queue.address());
    forget(realm);
  }
  auto& from = offerers_[realm];
  if (!from.queue) {
    from.queue = what.from;
    self_->monitor(what.from);
  }
  for (const auto& room : what.rooms) {
    from.rooms.insert(room);
    pacer_->offer(source_of(realm), room);
  }
  grant();
}

void pacer_state::withdraw(const withdraw_sends& what) {
  const auto known = offerers_.find(what.realm.value);
  if (known == offerers_.end() || known->second.queue != what.from)
    return; // It was replaced, and its offers went with it.
  for (const auto& room : what.rooms) {
    pacer_->withdraw(source_of(what.realm.value), room);
    known->second.rooms.erase(room);
  }
  grant();
}

send_cleared pacer_state::clear(const clear_send& what) {
  const auto open = open_.find(what.permit);
  if (open == open_.end())
    return {policy::begin_result::paused};
  const auto how = pacer_->begin(what.permit, what.room, self_->now());
  if (how == policy::begin_result::go) {
    open->second.room = what.room;
    open->second.is_cleared = true;
  } else {
    offerers_.at(open->second.realm).rooms.insert(open->second.room);
    open_.erase(open);
    grant();
  }
  return {how};
}

caf::result<send_over> pacer_state::end(const end_send& what) {
  const auto open = open_.extract(what.permit);
  if (open.empty())
    return send_over{};
  const auto& room = open.mapped().room;
  const auto now = self_->now();
  pacer_->settled(what.permit, {what.effect, what.asked, what.is_retried}, now,
                  spread());
  tell(what.effect, what.cause);
  // A room that is well has been ready since ever.
  const auto rest = std::max(pacer_->ready_at(room), now) - now;
  keep_pause();
  keep_hold();
  grant();
  return send_over{std::chrono::ceil<milliseconds>(rest)};
}

void pacer_state::give_back(const return_permit& what) {
  const auto open = open_.extract(what.permit);
  if (open.empty())
    return;
  const auto& [realm, room, is_cleared] = open.mapped();
  if (is_cleared)
    pacer_->settled(what.permit, {}, self_->now(), spread());
  else
    pacer_->give_back(what.permit, self_->now());
  pacer_->withdraw(source_of(realm), room);
  grant();
}

/// Whatever the queue had in flight is closed before its slot and its room are
/// given to others.
void pacer_state::forget(const std::string& realm) {
  const auto gone = offerers_.extract(realm);
  if (gone.empty())
    return;
  auto& offered = gone.mapped().rooms;
  std::vector<uint64_t> unused;
  for (const auto& [id, open] : open_)
    if (open.realm == realm && !open.is_cleared)
      unused.push_back(id);
    else if (open.realm == realm)
      close(id, open.room);
  for (const auto id : unused) {
    pacer_->give_back(id, self_->now());
    offered.insert(open_.extract(id).mapped().room);
  }
  for (const auto& room : offered)
    pacer_->withdraw(source_of(realm), room);
  grant();
}

void pacer_state::close(uint64_t id, const room_id& room) {
  const auto closed = [this, id] {
    if (open_.erase(id) > 0)
      pacer_->settled(id, {}, self_->now(), spread());
    grant();
  };
  self_->request(house_->transport, store_timeout, abort_lane{send_lane(room)})
    .then([closed](const http_aborted&) { closed(); },
          [this, id, room, closed](const caf::error& why) {
            timed_out(why) ? close(id, room) : closed();
          });
}

/// Whatever must outlive the process, one write at a time. Without the store a
/// pause holds in memory all the same.
void pacer_state::keep_pause() {
  if (is_keeping_ || retry_armed_ || !is_loaded_)
    return;
  const auto what = pacer_->to_keep(self_->now());
  if (!what)
    return;
  is_keeping_ = true;
  self_
    ->request(
      writer(), store_timeout,
      store_account_pause{of_.account, what->rest,
                          what->by_peer ? pause_cause::peer : pause_cause::own,
                          deadline()})
    .then(
      [this, what = *what](const stored&) {
        is_keeping_ = false;
        pacer_->kept(what, true);
        keep_pause();
      },
      [this, what = *what](const caf::error&) {
        is_keeping_ = false;
        pacer_->kept(what, false);
        retry_armed_ = true;
        self_->arm(retry_pause, tick{});
      });
}

/// Why the account is held, for people; no start depends on it. What was not
/// stored is tried again at the next answer.
void pacer_state::keep_hold() {
  const auto cause = pacer_->account_held() ? cause_ : std::string{};
  if (held_stored_ == cause)
    return;
  held_stored_ = cause;
  self_
    ->request(writer(), store_timeout,
              hold_account{of_.account, cause, {}, deadline()})
    .then([](const stored&) {},
          [this](const caf::error&) { held_stored_.reset(); });
}

void pacer_state::tell(const policy::pause_effect& effect,
                       const std::string& cause) {
  const bool is_good = effect == policy::pause_effect::none;
  cause_ = is_good ? cause_ : cause;
  const bool is_held = pacer_->account_held() || pacer_->homeserver_held();
  if (is_held && !std::exchange(was_held_, true))
    log_.error("homeserver takes no events account={} cause={} action=see "
               "docs/operations.md, it is tried again every five minutes",
               of_.account, cause_);
  if (!is_held && std::exchange(was_held_, false))
    log_.info("homeserver takes events again account={}", of_.account);
}

pace_view pacer_state::view() {
  const auto now = self_->now();
  const auto rest = std::max(pacer_->paused_until(), now) - now;
  return {pacer_->limited_by(),   std::chrono::ceil<milliseconds>(rest),
          pacer_->in_flight(),    pacer_->slow_rooms(slow_rooms_told),
          pacer_->account_held(), pacer_->homeserver_held(),
          pacer_->share()};
}

double pacer_state::spread() {
  return std::uniform_real_distribution<double>{0.0, 1.0}(random_);
}

const store_writer_actor& pacer_state::writer() const {
  return house_->writer_of_account(of_.account);
}

instant pacer_state::deadline() const {
  return self_->now() + limits::operation_deadline;
}

} // namespace weir
