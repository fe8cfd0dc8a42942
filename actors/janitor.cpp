#include "actors/janitor.hpp"

#include "actors/bounds_log.hpp"

namespace weir {

namespace {

const logger log_{"janitor"};

constexpr auto store_timeout
  = limits::operation_deadline + limits::operation_commit_grace;

} // namespace

janitor_actor::behavior_type
janitor_state::start(std::shared_ptr<const house_settings> settings,
                     std::shared_ptr<const peers> house) {
  settings_ = std::move(settings);
  house_ = std::move(house);
  self_->arm(settings_->beat_every, tick{});
  self_->arm(settings_->forget_every, idle_check{});
  return {
    [this](const tick&) { beat(); },
    [this](const idle_check&) { clean(); },
    [this](const use_peers& now) { house_ = now.value; },
    [this](const use_settings& now) { settings_ = now.value; },
  };
}

void janitor_state::beat() {
  for (const auto& writer : house_->writers)
    self_
      ->request(writer, store_timeout,
                beat_slot{self_->now() + limits::operation_deadline})
      .then([](const stored&) {},
            [](const caf::error& why) {
              log_.warn("slot not beaten what={}", to_string(from_caf(why)));
            });
  self_->arm(settings_->beat_every, tick{});
}

void janitor_state::clean() {
  self_->arm(settings_->forget_every, idle_check{});
  if (std::exchange(cleaning_, true))
    return;
  forget(0);
}

/// Step 0 is the outcome feed; step n the windows of the n-th appservice.
void janitor_state::forget(size_t step) {
  if (step > settings_->queues.size())
    return look_for_removed({});
  forget_old request{{}, {}, self_->now() + limits::operation_deadline};
  if (step > 0) {
    request.appservice = settings_->queues[step - 1].id;
    request.bounds = settings_->queues[step - 1].bounds;
  }
  const auto& writer = request.appservice
    ? house_->writer_of(*request.appservice)
    : house_->writers.front();
  self_->request(writer, store_timeout, std::move(request))
    .then(
      [this, step](const forgotten& what) {
        if (step > 0 && step <= settings_->queues.size())
          tell_bounds(log_, settings_->queues[step - 1].id, what.bounds);
        // A full page went: there may be more.
        forget(what.rows > 0 ? step : step + 1);
      },
      [this](const caf::error&) { cleaning_ = false; });
}

void janitor_state::tidy() {
  self_
    ->request(house_->writers.front(), store_timeout,
              tidy_store{self_->now() + limits::operation_deadline})
    .then([this](const stored&) { cleaning_ = false; },
          [this](const caf::error& why) {
            cleaning_ = false;
            log_.warn("store not tidied what={}", to_string(from_caf(why)));
          });
}

} // namespace weir
