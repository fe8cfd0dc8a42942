#pragma once

#include "actors/base.hpp"
#include "actors/messages/delivery.hpp"

#include <utility>
#include <vector>

namespace weir {

/// The drain of actors that one actor keeps: each is asked once, and whoever
/// asked is answered when all have answered or ended. Who asks later joins.
class drain_round {
public:
  drain_round() = default;
  drain_round(const drain_round&) = delete;
  drain_round& operator=(const drain_round&) = delete;
  ~drain_round() {
    end();
  }

  [[nodiscard]] bool has_begun() const noexcept {
    return has_begun_;
  }

  /// @param live Entries with a `queue`, by key.
  template <class Self, class Live>
  caf::result<drained> join(Self* self, const Live& live,
                            milliseconds timeout) {
    auto promise = self->template make_response_promise<
      caf::typed_response_promise<drained>>();
    askers_.push_back(promise);
    if (!std::exchange(has_begun_, true)) {
      open_ = live.size();
      for (const auto& [id, one] : live)
        self->request(one.queue, caf::duration{timeout}, drain_request{})
          .then([this](const drained&) { one_over(); },
                [this](const caf::error&) { one_over(); });
    }
    if (open_ == 0)
      end();
    return promise;
  }

private:
  void one_over() {
    if (--open_ == 0)
      end();
  }

  void end() {
    for (auto& each : std::exchange(askers_, {}))
      each.deliver(drained{});
  }

  bool has_begun_ = false;
  size_t open_ = 0; ///< Asked, and neither answered nor ended.
  std::vector<caf::typed_response_promise<drained>> askers_;
};

} // namespace weir
