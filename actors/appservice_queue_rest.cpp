#include "actors/appservice_queue.hpp"
#include "actors/appservice_requests.hpp"

// What a queue does beside delivering: it tells its state, leaves when it has
// nothing to do, and drains.
namespace weir {

namespace {

/// States that pass within this time are not worth a commit.
constexpr auto status_delay = std::chrono::milliseconds{500};
/// A send that takes longer is told of, once.
constexpr auto slow_send = std::chrono::seconds{5};

} // namespace

void appservice_queue_state::tell_status() {
  if (status_armed_)
    return;
  status_armed_ = true;
  self_->arm(status_delay, tick{});
}

void appservice_queue_state::publish() {
  status_armed_ = false;
  auto status = status_of(config_.settings.id, *delivery_, self_->now());
  status.sending = slow_send_for();
  auto summary = summary_of(status);
  // Before the store was heard nothing is known that is not told already.
  if (summary == published_ || !delivery_->has_begun())
    return;
  published_ = std::move(summary);
  status.deadline = deadline();
  self_->request(writer(), store_timeout, std::move(status))
    .then([](const stored&) {},
          [this](const caf::error&) {
            published_.clear();
            tell_status();
          });
}

/// How long the send that is open is under way, once that is long; else 0, and
/// it is looked at again when it would be.
milliseconds appservice_queue_state::slow_send_for() {
  const auto open_for = self_->now() - sending_since_;
  if (open_http_ == 0 || open_for >= slow_send)
    return open_http_ == 0 ? milliseconds{0}
                           : std::chrono::duration_cast<milliseconds>(open_for);
  if (!std::exchange(slow_armed_, true))
    self_->arm(slow_send - open_for, slow_look{});
  return milliseconds{0};
}

void appservice_queue_state::go_idle() {
  idle_since_ = self_->now();
  if (!std::exchange(idle_armed_, true))
    self_->arm(config_.idle_after, idle_check{});
}

void appservice_queue_state::consider_leaving() {
  idle_armed_ = false;
  if (busy_ || !known_ || pinned_ || draining_ || leaving_)
    return; // The next idle time arms it again.
  if (delivery_->state() != policy::delivery_state::flowing)
    return;
  const auto rest = idle_since_ + config_.idle_after - self_->now();
  if (rest.count() > 0) {
    idle_armed_ = true; // It had something to do in between.
    self_->arm(rest, idle_check{});
    return;
  }
  leaving_ = true;
  self_
    ->request(house_->directory, store_timeout,
              ask_leave{config_.settings.id, wakes_seen_})
    .then([this](const leave_decision& decision) { left(decision); },
          [this](const caf::error&) { left({false}); });
}

void appservice_queue_state::left(const leave_decision& decision) {
  leaving_ = false;
  if (decision.granted)
    return self_->quit();
  proceed();
}

caf::result<drained> appservice_queue_state::drain() {
  draining_ = true;
  refuse_commands();
  if (!busy_) {
    publish();
    return drained{};
  }
  auto promise
    = self_->make_response_promise<caf::typed_response_promise<drained>>();
  drainers_.push_back(promise);
  return promise;
}

/// What was sent and accepted is still acknowledged, so that the next start
/// does not send it again.
void appservice_queue_state::finish_drain() {
  if (known_ && pinned_
      && delivery_->next(self_->now()) == policy::delivery_step::settle)
    return settle();
  // The writer ends after this actor and so hears of it.
  publish();
  for (auto& waiting : drainers_)
    waiting.deliver(drained{});
  drainers_.clear();
}

} // namespace weir
