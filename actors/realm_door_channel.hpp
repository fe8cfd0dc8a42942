#pragma once

#include "actors/interfaces.hpp"
#include "actors/realm_door.hpp"

#include <functional>
#include <utility>

namespace weir {

/// How messages of the door get to the realm gateway that is there now.
class realm_door::channel {
public:
  explicit channel(std::function<realm_gateway_actor()> now)
    : now_{std::move(now)} {
  }
  template <class Message>
  void tell(Message message) const {
    // Where realms are not served the message ends here, and so its callback is
    // answered that nobody is there.
    if (const auto to = now_())
      caf::anon_send(to, std::move(message));
  }

private:
  std::function<realm_gateway_actor()> now_;
};

} // namespace weir
