#include "actors/realm_directory.hpp"

#include <algorithm>
#include <utility>

namespace weir {

namespace {

const logger log_{"realms"};

constexpr auto store_timeout
  = limits::operation_deadline + limits::operation_commit_grace;

} // namespace

realm_directory_state::~realm_directory_state() {
  for (auto& [id, one] : live_)
    caf::anon_send_exit(one.queue, caf::exit_reason::user_shutdown);
}

realm_directory_actor::behavior_type
realm_directory_state::start(realm_directory_config config,
                             std::shared_ptr<const peers> house) {
  config_ = std::move(config);
  house_ = std::move(house);
  self_->set_down_handler([this](caf::down_msg& down) { queue_down(down); });
  self_->arm(milliseconds{0}, tick{});
  self_->arm(config_.settings->forget_every, idle_check{});
  return {
    [this](const wake_realm& what) { wake_one(what); },
    [this](const ask_realm_leave& request) { return consider(request); },
    [this](const tick&) { scan(); },
    [this](const idle_check&) { clean(); },
    [this](const drain_request&) {
      return drain_.join(self_, live_, config_.settings->drain_timeout);
    },
    [this](const use_peers& now) {
      house_ = now.value;
      for (auto& [id, one] : live_)
        self_->send(one.queue, now);
    },
  };
}

void realm_directory_state::wake_one(const wake_realm& what) {
  if (drain_.has_begun())
    return; // It stays in the store.
  auto& one = live_[what.realm];
  if (!one.queue) {
    one.queue = config_.spawn_queue(*self_, what.realm, house_);
    self_->monitor(one.queue);
  }
  ++one.wakes;
  self_->send(one.queue, what);
}

caf::result<leave_decision>
realm_directory_state::consider(const ask_realm_leave& request) {
  const auto found = live_.find(request.realm);
  if (found == live_.end())
    return leave_decision{true};
  if (found->second.wakes != request.wakes_seen)
    return leave_decision{false}; // A wake is under way to it.
  live_.erase(found);
  return leave_decision{true};
}

/// By index: which realms have work? After a start none of them has an actor;
/// later this is the backstop for a wake that was lost.
void realm_directory_state::scan() {
  if (drain_.has_begun())
    return;
  scan_page(0);
  self_->arm(config_.settings->owed_scan_every, tick{});
}

void realm_directory_state::scan_page(realm_no after) {
  self_
    ->request(
      house_->writers.front(), store_timeout,
      list_realms{after, true, self_->now() + limits::operation_deadline})
    .then(
      [this](const realm_page& page) {
        for (const auto& row : page.realms)
          wake_one({row.id, realm_change::events});
        if (!page.last)
          scan_page(page.realms.back().no);
      },
      [](const caf::error&) {}); // The next scan comes by itself.
}

void realm_directory_state::clean() {
  self_->arm(config_.settings->forget_every, idle_check{});
  if (!drain_.has_begun() && !std::exchange(is_cleaning_, true))
    clean_page(0);
}

void realm_directory_state::clean_page(realm_no after) {
  self_
    ->request(
      house_->writers.front(), store_timeout,
      list_realms{after, false, self_->now() + limits::operation_deadline})
    .then(
      [this](const realm_page& page) {
        clean_one(page.realms, page.last ? 0 : page.realms.back().no);
      },
      [this](const caf::error&) { is_cleaning_ = false; });
}

/// One small step at a time. @param last Of the page; 0: it was the last page.
void realm_directory_state::clean_one(std::vector<realm_row> rest,
                                      realm_no last) {
  if (rest.empty() || drain_.has_begun()) {
    is_cleaning_ = last != 0 && !drain_.has_begun();
    return is_cleaning_ ? clean_page(last) : void();
  }
  const auto id = rest.back().id;
  self_
    ->request(house_->writer_of(id), store_timeout,
              forget_realm{id, self_->now() + limits::operation_deadline})
    .then(
      [this, rest, last](const realm_forgotten& what) mutable {
        if (!what.more)
          rest.pop_back();
        clean_one(std::move(rest), last);
      },
      [this](const caf::error& why) {
        is_cleaning_ = false;
        log_.warn("realm not cleaned what={}", to_string(from_caf(why)));
      });
}

void realm_directory_state::queue_down(const caf::down_msg& down) {
  const auto found = std::find_if(live_.begin(), live_.end(), [&](auto& each) {
    return each.second.queue.address() == down.source;
  });
  if (found == live_.end())
    return; // It was let go.
  const auto id = found->first;
  live_.erase(found);
  if (drain_.has_begun())
    return; // Its drain request is answered by its end.
  log_.warn("realm actor ended realm={} action=restarted from the store",
            id.value);
  if (intensity_.allow(self_->now()))
    wake_one({id, realm_change::events}); // Else the next scan finds it.
}

} // namespace weir
