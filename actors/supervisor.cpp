#include "actors/supervisor.hpp"

namespace weir {

namespace {

const logger log_{"supervisor"};

} // namespace

supervisor_state::~supervisor_state() {
  for (const auto& child : alive_)
    caf::anon_send_exit(child, caf::exit_reason::user_shutdown);
  if (!told_to_end_ && config_.on_give_up)
    config_.on_give_up();
}

supervisor_actor::behavior_type
supervisor_state::start(supervisor_config config) {
  config_ = std::move(config);
  intensity_ = policy::restart_intensity{config_.intensity};
  now_.settings = config_.settings;
  now_.board = config_.settings->board;
  alive_.resize(config_.children.size());
  self_->set_down_handler([this](caf::down_msg& down) { child_down(down); });
  self_->set_exit_handler([this](caf::exit_msg& told) {
    told_to_end_ = true;
    self_->quit(std::move(told.reason));
  });
  for (size_t i = 0; i < config_.children.size(); ++i)
    start_child(i);
  tell_all();
  return {
    [this](const drain_request&) { return drain(); },
    [this](const use_settings& now) { use(now); },
  };
}

void supervisor_state::start_child(size_t index) {
  auto child = config_.children[index].spawn(
    *self_, now_, std::make_shared<const peers>(now_));
  self_->monitor(child);
  alive_[index] = std::move(child);
}

void supervisor_state::child_down(const caf::down_msg& down) {
  for (size_t i = 0; i < alive_.size(); ++i) {
    if (!alive_[i] || alive_[i].address() != down.source)
      continue;
    alive_[i] = nullptr;
    if (draining_)
      return;
    const auto& kind = config_.children[i].name;
    if (!intensity_.allow(self_->now())) {
      log_.error("actor keeps ending, giving up actor={} action=see the lines "
                 "before, the process ends so that its manager restarts it",
                 kind);
      if (config_.on_give_up)
        config_.on_give_up();
      return;
    }
    log_.error("actor ended, restarted from the store actor={} reason={}", kind,
               self_->home_system().render(down.reason));
    start_child(i);
    return tell_all();
  }
}

void supervisor_state::tell_all() {
  const auto now = std::make_shared<const peers>(now_);
  for (size_t i = 0; i < alive_.size(); ++i)
    if (alive_[i] && config_.children[i].tell)
      config_.children[i].tell(*self_, alive_[i], now);
  if (config_.on_change)
    config_.on_change(now);
}

void supervisor_state::use(const use_settings& now) {
  now_.settings = now.value;
  for (size_t i = 0; i < alive_.size(); ++i)
    if (alive_[i] && config_.children[i].reload && config_.children[i].reloads)
      config_.children[i].reload(*self_, alive_[i], now);
}

caf::result<drained> supervisor_state::drain() {
  draining_ = true;
  // Who is held for a store that is away would hold up the end.
  self_->send(now_.gateway, end_holds_now{});
  if (now_.realm_gateway)
    self_->send(now_.realm_gateway, end_holds_now{});
  auto promise
    = self_->make_response_promise<caf::typed_response_promise<drained>>();
  auto left = std::make_shared<size_t>(now_.realms ? 2 : 1);
  const auto one_drained = [promise, left]() mutable {
    if (--*left == 0)
      promise.deliver(drained{});
  };
  drain_one(now_.directory, one_drained);
  if (now_.realms)
    drain_one(now_.realms, one_drained);
  return promise;
}

template <class Directory>
void supervisor_state::drain_one(const Directory& of,
                                 std::function<void()> done) {
  self_->request(of, caf::duration{config_.drain_timeout}, drain_request{})
    .then([done](const drained&) { done(); },
          [done](const caf::error&) {
            log_.warn("drain timed out action=what is in flight is sent again, "
                      "byte for byte, at the next start");
            done();
          });
}

} // namespace weir
