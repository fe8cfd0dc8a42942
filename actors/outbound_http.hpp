#pragma once

#include "schema/http.hpp"

#include <cstdint>
#include <functional>

namespace weir {

/// The network as the transport needs it; implemented in http/client, and by a
/// fake under test. Continuations may run on any thread, exactly once, and
/// after the connection of a failed request was closed.
class outbound_http {
public:
  virtual ~outbound_http() = default;
  virtual void send(uint64_t id, http_request request,
                    std::function<void(http_answer)> done)
    = 0;
  virtual void abort(uint64_t id) = 0;
};

} // namespace weir
