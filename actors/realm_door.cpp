#include "actors/realm_door.hpp"

#include "actors/realm_door_channel.hpp"

namespace weir {

realm_door::realm_door(std::shared_ptr<const channel> to) : to_{std::move(to)} {
}

void realm_door::submit(
  submit_realm_events request,
  std::function<void(expected<realm_offers_answered>)> done) const {
  to_->tell(ask_submit{std::move(request), {std::move(done)}});
}

void realm_door::change(
  change_realm_audience request,
  std::function<void(expected<realm_audience_changed>)> done) const {
  to_->tell(ask_audience{std::move(request), {std::move(done)}});
}

void realm_door::replace(
  replace_realm_audience request,
  std::function<void(expected<realm_audience_changed>)> done) const {
  to_->tell(ask_replace{std::move(request), {std::move(done)}});
}

void realm_door::cancel(
  cancel_realm_event request,
  std::function<void(expected<realm_event_cancelled>)> done) const {
  to_->tell(ask_cancel{std::move(request), {std::move(done)}});
}

void realm_door::redeliver(
  redeliver_realm_event request,
  std::function<void(expected<realm_event_redelivered>)> done) const {
  to_->tell(ask_redeliver{std::move(request), {std::move(done)}});
}

void realm_door::halt(halt_realm request,
                      std::function<void(expected<realm_halted>)> done) const {
  to_->tell(ask_halt{std::move(request), {std::move(done)}});
}

void realm_door::read(read_realm request, read_patience patience,
                      std::function<void(expected<realm_answer>)> done) const {
  to_->tell(ask_realm{std::move(request), patience, {std::move(done)}});
}

void realm_door::read(read_feed request, read_patience patience,
                      std::function<void(expected<feed_answer>)> done) const {
  to_->tell(ask_feed{std::move(request), patience, {std::move(done)}});
}

void realm_door::list(read_realms request,
                      std::function<void(expected<realms_found>)> done) const {
  to_->tell(ask_realms{request, {std::move(done)}});
}

void realm_door::pace(std::function<void(expected<pace_view>)> done) const {
  to_->tell(ask_pace{{std::move(done)}});
}

} // namespace weir
