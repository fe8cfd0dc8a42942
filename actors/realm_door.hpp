#pragma once

#include "actors/messages/realm_door.hpp"

#include <functional>
#include <memory>

namespace weir {

/// The part of the house's door that realm events go through. As with
/// house.hpp: any thread, every continuation exactly once, none may block.
class realm_door {
public:
  /// The other side: hands a message to the realm gateway.
  class channel;

  explicit realm_door(std::shared_ptr<const channel> to);

  /// Takes events in; holds them while the store is away. Errors:
  /// `ec::unavailable`, `ec::expired`, `ec::rejected`, and then they were taken
  /// or were not: their keys tell.
  void submit(submit_realm_events request,
              std::function<void(expected<realm_offers_answered>)> done) const;
  void change(change_realm_audience request,
              std::function<void(expected<realm_audience_changed>)> done) const;
  /// One commit's worth: to be asked again as `replace_realm_audience` says.
  void
  replace(replace_realm_audience request,
          std::function<void(expected<realm_audience_changed>)> done) const;
  void cancel(cancel_realm_event request,
              std::function<void(expected<realm_event_cancelled>)> done) const;
  /// Some of them: to be asked again while there is more.
  void
  redeliver(redeliver_realm_event request,
            std::function<void(expected<realm_event_redelivered>)> done) const;
  void halt(halt_realm request,
            std::function<void(expected<realm_halted>)> done) const;

  /// Errors: `ec::unavailable`; `ec::full` when it would have to wait and as
  /// many wait as may.
  void read(read_realm request, read_patience patience,
            std::function<void(expected<realm_answer>)> done) const;
  void read(read_feed request, read_patience patience,
            std::function<void(expected<feed_answer>)> done) const;
  void list(read_realms request,
            std::function<void(expected<realms_found>)> done) const;
  void pace(std::function<void(expected<pace_view>)> done) const;

private:
  std::shared_ptr<const channel> to_;
};

} // namespace weir
