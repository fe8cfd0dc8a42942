#include "actors/directory.hpp"

#include <algorithm>

namespace weir {

namespace {

const logger log_{"directory"};

constexpr auto store_timeout
  = limits::operation_deadline + limits::operation_commit_grace;

} // namespace

directory_state::~directory_state() {
  for (auto& [id, one] : live_)
    caf::anon_send_exit(one.queue, caf::exit_reason::user_shutdown);
}

directory_actor::behavior_type
directory_state::start(directory_config config,
                       std::shared_ptr<const peers> house) {
  config_ = std::move(config);
  house_ = std::move(house);
  know(config_.settings);
  self_->set_down_handler([this](caf::down_msg& down) { queue_down(down); });
  const auto all = changed_queues({}, *config_.settings);
  adopt({all.begin(), all.end()});
  self_->arm(milliseconds{0}, tick{});
  return {
    [this](const wake_queue& what) { wake_one(what); },
    [this](const bridge_alive& what) { pass_alive(what); },
    [this](const give_command& what) { pass_command(what); },
    [this](const ask_leave& request) { return consider(request); },
    [this](const tick&) { scan(); },
    [this](const drain_request&) {
      return drain_.join(self_, live_, config_.settings->drain_timeout);
    },
    [this](const use_settings& now) { use(now); },
    [this](const use_peers& now) {
      house_ = now.value;
      for (auto& [id, one] : live_)
        self_->send(one.queue, now);
    },
  };
}

directory_state::entry* directory_state::live(const appservice_id& id) {
  if (const auto found = live_.find(id); found != live_.end())
    return &found->second;
  const auto known = known_.find(id);
  if (known == known_.end() || drain_.has_begun())
    return nullptr; // There is nobody to send to.
  auto queue = config_.spawn_queue(*self_, *known->second, house_);
  self_->monitor(queue);
  return &live_.emplace(id, entry{queue, 0}).first->second;
}

void directory_state::wake_one(const wake_queue& what) {
  auto* to = live(what.appservice);
  if (to == nullptr || to->retiring)
    return;
  ++to->wakes;
  self_->send(to->queue, wake{what.pinned});
}

/// A queue without an actor may have a back-off that is stored: of before a
/// restart, or of an actor that ended.
void directory_state::pass_alive(const bridge_alive& what) {
  if (auto* to = live(what.appservice))
    self_->send(to->queue, what);
}

/// Counted as a wake: a queue that would go stays for it.
void directory_state::pass_command(const give_command& what) {
  auto* to = live(what.what.appservice);
  if (drain_.has_begun() || to == nullptr || to->retiring) {
    command_done refused;
    refused.result = drain_.has_begun() ? command_result::draining
                                        : command_result::not_served;
    return what.done.run(refused);
  }
  ++to->wakes;
  self_->send(to->queue, what);
}

caf::result<leave_decision>
directory_state::consider(const ask_leave& request) {
  const auto found = live_.find(request.appservice);
  if (found == live_.end())
    return leave_decision{true};
  if (found->second.wakes != request.wakes_seen)
    return leave_decision{false}; // A wake is under way to it.
  live_.erase(found);
  return leave_decision{true};
}

/// Queues without an actor are known by their settings alone: those with
/// `url: null` are sent nothing, just as if they were not there.
void directory_state::know(std::shared_ptr<const house_settings> settings) {
  config_.settings = std::move(settings);
  known_.clear();
  for (const auto& queue : config_.settings->queues)
    if (!queue.peer.url.empty())
      known_.emplace(queue.id, &queue);
}

void directory_state::use(const use_settings& now) {
  const auto old = config_.settings;
  const auto changed = changed_queues(*old, *now.value);
  const auto before = std::exchange(known_, {});
  know(now.value);
  for (auto& [id, one] : live_) {
    const auto found = known_.find(id);
    if (found == known_.end())
      retire(id, one);
    else if (changed.contains(id) && !one.retiring)
      self_->send(one.queue, use_queue_settings{*found->second});
  }
  if (drain_.has_begun())
    return;
  // One that has no actor, since the store was away at the start, has its pause
  // there.
  auto at_rest = changed;
  std::erase_if(at_rest, [&](const auto& id) {
    return live_.contains(id) || !before.contains(id);
  });
  for (const auto& id : at_rest)
    pass_alive({id});
  adopt({changed.begin(), changed.end()});
  scan_page({}); // One that comes back may be owed something from before.
}

/// What is in flight is finished; what is owed stays in the store.
void directory_state::retire(const appservice_id& id, entry& one) {
  if (std::exchange(one.retiring, true))
    return;
  log_.info(
    "appservice let go appservice={} action=none, what it is owed stays "
    "in the store",
    id.value);
  self_
    ->request(one.queue, caf::duration{config_.settings->drain_timeout},
              drain_request{})
    .then(
      [queue = one.queue](const drained&) {
        caf::anon_send_exit(queue, caf::exit_reason::user_shutdown);
      },
      [queue = one.queue](const caf::error&) {
        caf::anon_send_exit(queue, caf::exit_reason::user_shutdown);
      });
}

/// Makes the rows of appservices, each by its own writer. Those that have none
/// of them are asked too: it opens their store at the start.
void directory_state::adopt(const std::vector<appservice_id>& ids) {
  std::vector<adopt_queues> by_writer(house_->writers.size());
  for (const auto& id : ids)
    by_writer[house_->writer_index(id)].appservices.push_back(id);
  for (size_t i = 0; i < by_writer.size(); ++i) {
    by_writer[i].deadline = self_->now() + limits::operation_deadline;
    self_->request(house_->writers[i], store_timeout, std::move(by_writer[i]))
      .then([](const stored&) {},
            [](const caf::error& why) {
              // A queue is adopted by its first transaction all the same.
              log_.warn("appservices not adopted what={}",
                        to_string(from_caf(why)));
            });
  }
}

/// By index: which queues are owed something? After a start none of them has an
/// actor; later this is the backstop for a wake that was lost with the actor
/// that should have sent it, so those with an actor are woken too.
void directory_state::scan() {
  if (drain_.has_begun())
    return;
  scan_page({});
  self_->arm(config_.settings->owed_scan_every, tick{});
}

void directory_state::scan_page(appservice_id after) {
  self_
    ->request(
      house_->writers.front(), store_timeout,
      list_owed{std::move(after), self_->now() + limits::operation_deadline})
    .then(
      [this](const owed_page& page) {
        for (const auto& id : page.appservices)
          wake_one({id, {}});
        if (!page.last)
          scan_page(page.appservices.back());
      },
      [](const caf::error&) {}); // The next scan comes by itself.
}

void directory_state::queue_down(const caf::down_msg& down) {
  const auto found = std::find_if(live_.begin(), live_.end(), [&](auto& each) {
    return each.second.queue.address() == down.source;
  });
  if (found == live_.end())
    return; // It was let go.
  const auto id = found->first;
  const bool let_go = found->second.retiring;
  live_.erase(found);
  if (drain_.has_begun())
    return; // Its drain request is answered by its end.
  if (let_go)
    return wake_one({id, {}}); // It may have come back meanwhile.
  log_.warn("queue actor ended appservice={} action=restarted from the store",
            id.value);
  if (intensity_.allow(self_->now()))
    wake_one({id, {}}); // Else the next scan finds it.
}

} // namespace weir
