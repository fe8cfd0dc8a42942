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
  turns_.use(config_.appservices);
  random_.seed(config_.seed);
  self_->arm(first_pause, tick{});
  return {
    [this](const tick&) { next(); },
    [this](const use_settings& now) { use(with_url(*now.value)); },
    [this](const use_peers& now) { house_ = now.value; },
  };
}

void pinger_state::use(const std::vector<appservice_id>& appservices) {
  turns_.use(appservices);
  next();
}

void pinger_state::next() {
  if (turns_.over() || turns_.begun() || self_->now() < pause_.ready_at())
    return;
  turns_.begin();
  const auto started = self_->now();
  auto request = trace::drawn<http_request>(
    [this] { return config_.make_ping(turns_.current()); });
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
  const auto& id = turns_.current().value;
  const bool away = answer.failure != no_answer::none || answer.status == 429
    || (answer.status >= 500 && answer.status != 502 && answer.status != 504);
  if (away) {
    pause_.on_refused(
      started, self_->now(), policy::retry_after(answer, {}),
      std::uniform_real_distribution<double>{0.0, 1.0}(random_));
    log_.info("homeserver did not ping appservice={} status={} failure={}", id,
              answer.status, to_string(answer.failure));
    turns_.again();
    self_->arm(pause_.ready_at() - self_->now(), tick{});
    return;
  }
  pause_.on_accepted(started);
  if (answer.status != 200)
    log_.warn("homeserver refused to ping appservice={} status={} action=check "
              "that it has loaded the registration written by weir "
              "registration",
              id, answer.status);
  turns_.finish();
  self_->arm(milliseconds{0}, tick{});
}

} // namespace weir
