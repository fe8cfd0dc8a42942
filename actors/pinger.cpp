#include "actors/pinger.hpp"

#include "actors/policy/retry_after.hpp"

namespace weir {

namespace {

const logger log_{"pinger"};

/// The listener must be up before the homeserver calls back.
constexpr auto first_pause = std::chrono::milliseconds{200};

} // namespace

pinger_actor::behavior_type
pinger_state::start(pinger_config config, std::shared_ptr<const peers> house) {
  config_ = std::move(config);
  house_ = std::move(house);
  random_.seed(config_.seed);
  self_->arm(first_pause, tick{});
  return {
    [this](const tick&) { next(); },
    [this](const use_peers& now) { house_ = now.value; },
  };
}

void pinger_state::next() {
  if (busy_ || done_ >= config_.appservices.size())
    return;
  busy_ = true;
  const auto started = self_->now();
  auto request = trace::drawn<http_request>(
    [this] { return config_.make_ping(config_.appservices[done_]); });
  const auto& limits = request.deadlines;
  const auto timeout
    = limits.connect + limits.answer + limits.body + std::chrono::seconds{10};
  self_
    ->request(house_->transport, timeout,
              send_http{next_http_id(), {}, std::move(request)})
    .then(
      [this, started](const http_answer& answer) { answered(answer, started); },
      [this, started](const caf::error&) {
        answered(unanswered(no_answer::aborted, "the transport was restarted"),
                 started);
      });
}

void pinger_state::answered(const http_answer& answer, instant started) {
  busy_ = false;
  const auto& id = config_.appservices[done_].value;
  const bool away = answer.failure != no_answer::none || answer.status == 429
    || (answer.status >= 500 && answer.status != 502 && answer.status != 504);
  if (away) {
    pause_.on_refused(
      started, self_->now(), policy::retry_after(answer, {}),
      std::uniform_real_distribution<double>{0.0, 1.0}(random_));
    log_.info("homeserver did not ping appservice={} status={} failure={}", id,
              answer.status, to_string(answer.failure));
    self_->arm(pause_.ready_at() - self_->now(), tick{});
    return;
  }
  pause_.on_accepted(started);
  if (answer.status != 200)
    log_.warn("homeserver refused to ping appservice={} status={} action=check "
              "that it has loaded the registration written by weir "
              "registration",
              id, answer.status);
  ++done_;
  self_->arm(milliseconds{0}, tick{});
}

} // namespace weir
