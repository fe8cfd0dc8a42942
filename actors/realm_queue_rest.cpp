#include "actors/realm_queue.hpp"

#include <utility>

// What a realm queue does beside sending: it ends what is too old, leaves when
// it has nothing to do, and drains.
namespace weir {

bool realm_queue_state::is_idle() const {
  return known_ && !asking_ && !resting_ && !leaving_ && !draining_
    && flights_.empty() && news_.unbound + news_.unsettled == 0
    && next_.settles.empty();
}

void realm_queue_state::look_after_itself() {
  self_->arm(of_.idle_after, idle_check{});
  expire_ = true;
  if (!is_idle() || self_->now() - busy_at_ < of_.idle_after)
    return proceed();
  leaving_ = true;
  self_
    ->request(house_->realms, store_timeout,
              ask_realm_leave{config_.realm, wakes_seen_})
    .then([this](const leave_decision& decision) { left(decision); },
          [this](const caf::error&) { left({false}); });
}

void realm_queue_state::left(const leave_decision& decision) {
  leaving_ = false;
  if (decision.granted)
    return self_->quit();
  proceed();
}

caf::result<drained> realm_queue_state::drain() {
  draining_ = true;
  for (const auto permit : std::exchange(bind_permits_, {}))
    return_unused(permit);
  auto promise
    = self_->make_response_promise<caf::typed_response_promise<drained>>();
  drainers_.push_back(promise);
  proceed();
  return promise;
}

/// What was sent and answered is still settled, so that the next start does not
/// send it again. A store that does not answer is not waited for: the same
/// bytes under the same id do no harm.
void realm_queue_state::finish_drain() {
  if (!resting_ && (!flights_.empty() || asking_))
    return;
  for (const auto& [room, of] : flights_)
    if (of.http != 0)
      return;
  for (auto& waiting : std::exchange(drainers_, {}))
    waiting.deliver(drained{});
}

instant realm_queue_state::deadline() const {
  return self_->now() + limits::operation_deadline;
}

const store_writer_actor& realm_queue_state::writer() const {
  return house_->writer_of(config_.realm);
}

} // namespace weir
