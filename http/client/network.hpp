#pragma once

#include "actors/outbound_http.hpp"
#include "actors/policy/retry_after.hpp"
#include "http/client/client.hpp"

namespace weir {

/// The client as the transport's network, which is where the wall clock is
/// read: an answer carries all that actors need to know of it, also into a
/// trace.
class client_network : public outbound_http {
public:
  client_network(http_client& client, std::function<stored_time()> wall_clock)
    : client_{client},
      wall_clock_{std::move(wall_clock)} {
  }

  void send(uint64_t id, http_request request,
            std::function<void(http_answer)> done) override {
    client_.send(
      id, std::move(request),
      [done = std::move(done), clock = wall_clock_](http_answer answer) {
        policy::give_date(answer, clock());
        done(std::move(answer));
      });
  }
  void abort(uint64_t id) override {
    client_.abort(id);
  }

private:
  http_client& client_;
  std::function<stored_time()> wall_clock_;
};

} // namespace weir
