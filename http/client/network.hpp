#pragma once

#include "actors/outbound_http.hpp"
#include "http/client/client.hpp"

namespace weir {

/// The client as the transport's network.
class client_network : public outbound_http {
public:
  explicit client_network(http_client& client) : client_{client} {
  }

  void send(uint64_t id, http_request request,
            std::function<void(http_answer)> done) override {
    client_.send(id, std::move(request), std::move(done));
  }
  void abort(uint64_t id) override {
    client_.abort(id);
  }

private:
  http_client& client_;
};

} // namespace weir
