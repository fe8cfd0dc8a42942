#include "actors/realm_queue.hpp"

#include "schema/realm_pattern.hpp"

#include <algorithm>
#include <utility>

namespace weir {

namespace {

const logger log_{"realm"};

/// After a store that did not answer: enough for a writer to be restarted.
constexpr auto retry_pause = std::chrono::milliseconds{200};
/// Lanes in memory: what all slots of the account could use twice, within what
/// the pacer takes of one realm.
constexpr size_t window_max = policy::fair_turns::offers_max;

size_t window_of(const policy::pace_limits& pace) {
  return std::clamp<size_t>(2 * size_t{pace.in_flight},
                            policy::realm_lanes::window_default, window_max);
}

} // namespace

realm_queue_state::~realm_queue_state() {
  for (auto& waiting : drainers_)
    waiting.deliver(drained{});
}

realm_queue_actor::behavior_type
realm_queue_state::start(realm_queue_config config,
                         std::shared_ptr<const peers> house) {
  config_ = std::move(config);
  of_ = config_.settings->realms;
  ordering_ = matches_any(of_.ordered, config_.realm) ? realm_ordering::realm
                                                      : realm_ordering::room;
  house_ = std::move(house);
  lanes_.emplace(window_of(of_.pace));
  busy_at_ = self_->now();
  self_->arm(of_.idle_after, idle_check{});
  ask_store();
  return {
    [this](const wake_realm& what) { woken(what); },
    [this](const send_permit& what) {
      take_permit(what);
      proceed();
    },
    [this](const pause_over& timer) {
      if (timer.armed != armed_)
        return;
      wakes_at_.reset();
      look_ = look_ || (head_until_ && *head_until_ <= self_->now());
      proceed();
    },
    [this](const idle_check&) { look_after_itself(); },
    [this](const tick&) {
      resting_ = false;
      proceed();
    },
    [this](const drain_request&) { return drain(); },
    [this](const use_peers& now) { use(now.value); },
  };
}

void realm_queue_state::woken(const wake_realm& what) {
  ++wakes_seen_;
  look_ = true;
  busy_at_ = self_->now();
  if (what.what >= realm_change::cancelled) {
    forget_lanes();
    sweep_after_.emplace();
  }
  proceed();
}

/// A pacer that is new knows of no permit and of no offer, and closes what is
/// in flight: those sends come again.
void realm_queue_state::use(const std::shared_ptr<const peers>& now) {
  const bool is_other = now->pacer != house_->pacer;
  house_ = now;
  if (!is_other)
    return;
  for (auto& [room, of] : flights_)
    of.permit = of.next = 0;
  bind_permits_.clear();
  forget_lanes();
  proceed();
}

void realm_queue_state::proceed() {
  if (leaving_)
    return;
  ask_store();
  if (draining_)
    return finish_drain();
  offer();
  arm_wake();
}

/// What is most urgent: what became of sends, and what a permit waits for.
void realm_queue_state::ask_store() {
  if (asking_ || resting_)
    return;
  if (!next_.settles.empty() || !next_.tries.empty() || !next_.begins.empty())
    return work();
  if (draining_)
    return;
  if (!known_)
    return load();
  if (look_ || news_.is_binding || !bind_permits_.empty())
    return bind();
  if (lanes_->wants_more())
    return load();
  if (sweep_after_)
    return sweep();
  if (expire_)
    expire();
}

void realm_queue_state::load() {
  asking_ = true;
  self_
    ->request(writer(), store_timeout,
              load_realm{config_.realm, after_, deadline()})
    .then([this](const realm_loaded& what) { loaded(what); },
          [this](const caf::error& why) { store_failed(why); });
}

/// A page that does not fit is read again from the first lane that did not.
void realm_queue_state::loaded(const realm_loaded& what) {
  asking_ = false;
  known_ = true;
  bool all = true;
  for (const auto& lane : what.lanes) {
    all = all && lanes_->add(lane);
    after_ = all ? lane.room.value : after_;
  }
  if (all && !what.more) {
    after_.clear();
    lanes_->there_are_no_more();
  }
  take(what.news);
  proceed();
}

/// With a turn when there is one; without one it is only looked what is to be
/// done, or a bind goes on.
void realm_queue_state::bind() {
  asking_ = true;
  look_ = false;
  uint64_t permit = 0;
  if (!bind_permits_.empty() && !news_.is_binding) {
    permit = bind_permits_.front();
    bind_permits_.pop_front();
  }
  self_
    ->request(writer(), store_timeout,
              bind_realm_event{config_.realm, ordering_, of_.audience_wait,
                               permit != 0, deadline()})
    .then([this, permit](const realm_bound& what) { bound(what, permit); },
          [this, permit](const caf::error& why) {
            look_ = true;
            return_unused(permit);
            bind_offered_ = false;
            store_failed(why);
          });
}

void realm_queue_state::bound(const realm_bound& what, uint64_t permit) {
  asking_ = false;
  // What was bound or ended leaves another head behind.
  look_ = look_ || what.written > 0 || what.ended > 0;
  wants_bind_ = what.step == policy::head_step::bind;
  head_until_.reset();
  if (what.wait.count() > 0)
    head_until_ = self_->now() + what.wait;
  bool all = what.lanes.size() < limits::realm_lanes_page;
  for (const auto& lane : what.lanes)
    all = lanes_->add(lane) && all;
  if (!all) {
    after_.clear();
    lanes_->there_may_be_more();
  }
  take(what.news);
  if (permit != 0)
    start_bound(what, permit);
  proceed();
}

/// The turn that bound an event sends to one of its rooms.
void realm_queue_state::start_bound(const realm_bound& what, uint64_t permit) {
  bind_offered_ = false;
  const auto free = std::find_if(what.lanes.begin(), what.lanes.end(),
                                 [this](const auto& lane) {
                                   return !flights_.contains(lane.room)
                                     && lanes_->start(lane.room).has_value();
                                 });
  if (free == what.lanes.end())
    return return_unused(permit);
  auto& of = flights_[free->room];
  of.permit = permit;
  of.was_bind = true;
  next_.begins.push_back({config_.realm, free->room, false, {}});
}

/// What was cancelled, and was not begun, ends without a turn, in a pause too.
void realm_queue_state::sweep() {
  asking_ = true;
  self_
    ->request(writer(), store_timeout,
              load_realm{config_.realm, *sweep_after_, deadline()})
    .then(
      [this](const realm_loaded& what) {
        asking_ = false;
        sweep_after_.reset();
        for (const auto& lane : what.lanes)
          next_.begins.push_back({config_.realm, lane.room, true, {}});
        if (what.more)
          sweep_after_ = what.lanes.back().room.value;
        proceed();
      },
      [this](const caf::error& why) { store_failed(why); });
}

void realm_queue_state::expire() {
  asking_ = true;
  expire_ = false;
  self_
    ->request(writer(), store_timeout, expire_realm{config_.realm, deadline()})
    .then(
      [this](const realm_expired& what) {
        asking_ = false;
        expire_ = expire_ || what.more;
        look_ = look_ || what.events > 0;
        take(what.news);
        if (what.sends > 0)
          forget_lanes();
        proceed();
      },
      [this](const caf::error& why) {
        expire_ = true;
        store_failed(why);
      });
}

void realm_queue_state::work() {
  asking_ = true;
  auto request = std::exchange(next_, {});
  request.realm = config_.realm;
  request.deadline = deadline();
  self_->request(writer(), store_timeout, request)
    .then([this, request](const realm_worked& what) { worked(request, what); },
          [this, request](const caf::error& why) {
            // What came meanwhile stands behind what is asked again.
            auto& next = next_;
            next.settles.insert(next.settles.begin(), request.settles.begin(),
                                request.settles.end());
            next.tries.insert(next.tries.begin(), request.tries.begin(),
                              request.tries.end());
            next.begins.insert(next.begins.begin(), request.begins.begin(),
                               request.begins.end());
            store_failed(why);
          });
}

void realm_queue_state::worked(const work_realm& asked,
                               const realm_worked& what) {
  asking_ = false;
  for (size_t i = 0; i < asked.settles.size(); ++i)
    settled(asked.settles[i].room, what.settles[i]);
  for (size_t i = 0; i < asked.begins.size(); ++i)
    asked.begins[i].only_end ? swept(asked.begins[i], what.begins[i])
                             : begun(asked.begins[i].room, what.begins[i]);
  // A request of tries alone tells nothing.
  if (!asked.settles.empty() || !asked.begins.empty())
    take(what.news);
  look_ = look_ || (!asked.settles.empty() && news_.unbound > 0);
  proceed();
}

void realm_queue_state::swept(const begin_realm_send& asked,
                              const realm_send_begun& what) {
  if (what.more)
    next_.begins.push_back(asked);
}

/// It is not known what became of it. The same again lies behind it, at the
/// same writer.
void realm_queue_state::store_failed(const caf::error& why) {
  asking_ = false;
  log_.warn("store did not answer realm={} what={}", config_.realm.value,
            to_string(from_caf(why)));
  if (!std::exchange(resting_, true))
    self_->arm(retry_pause, tick{});
  proceed();
}

void realm_queue_state::take(const realm_news& news) {
  const bool was_halted = std::exchange(news_, news).is_halted;
  if (news.unbound + news.unsettled > 0)
    busy_at_ = self_->now();
  if (was_halted != news.is_halted)
    forget_lanes();
  if (!news.left.empty() && house_->realm_gateway)
    self_->send(house_->realm_gateway,
                realm_progress{config_.realm, news.left});
}

/// What the store holds is read anew. Sends that are under way stay, and so do
/// offers of their rooms: one that the pacer does not clear has its offer back,
/// whenever it answers.
void realm_queue_state::forget_lanes() {
  auto rooms = lanes_->known();
  std::erase_if(rooms,
                [this](const auto& each) { return flights_.contains(each); });
  rooms.emplace_back();
  withdraw(std::move(rooms));
  lanes_.emplace(window_of(of_.pace));
  for (const auto& [room, of] : flights_) {
    lanes_->add({room, of.what.seq, false});
    WEIR_ASSERT(lanes_->start(room).has_value());
  }
  known_ = false;
  after_.clear();
  look_ = true;
  wants_bind_ = bind_offered_ = false;
}

void realm_queue_state::offer() {
  if (news_.is_halted || draining_ || !known_)
    return;
  auto rooms = lanes_->to_offer(self_->now());
  if (wants_bind_ && bind_permits_.empty()
      && !std::exchange(bind_offered_, true))
    rooms.emplace_back();
  if (!rooms.empty())
    self_->send(house_->pacer,
                offer_sends{config_.realm, std::move(rooms),
                            caf::actor_cast<realm_queue_actor>(self_)});
}

void realm_queue_state::arm_wake() {
  auto at = lanes_->next_wake();
  if (head_until_)
    at = std::min(at.value_or(*head_until_), *head_until_);
  // What is due and cannot be done now waits for something else.
  if (!at || wakes_at_ == at || *at <= self_->now())
    return;
  wakes_at_ = at;
  self_->arm(*at - self_->now(), pause_over{++armed_});
}

} // namespace weir
