#pragma once

#include "actors/interfaces.hpp"
#include "actors/policy/backoff.hpp"
#include "actors/policy/turns.hpp"
#include "actors/settings.hpp"

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace weir {

/// One ping that the homeserver is asked for.
struct ping_errand {
  appservice_id appservice;
  http_request request;
};

/// Makes the request for one appservice, with a fresh transaction id that Weir
/// will know as its own (D9).
using make_ping_function = std::function<http_request(const appservice_id&)>;

/// Whom to have pinged, and how the pings are made.
struct pinger_config {
  std::vector<appservice_id> appservices;
  make_ping_function make_ping;
  uint64_t seed = 0;
};
BOOST_DESCRIBE_STRUCT(pinger_config, (), (appservices, make_ping, seed))

/// After a start, asks the homeserver to ping each appservice once: it then
/// retries at once what it holds back for one that it takes for down, instead
/// of after its own back-off of up to 8.5 minutes. So too for those that a
/// reload adds. One errand at a time; tried
/// until the homeserver answers anything.
class pinger_state {
public:
  static constexpr const char* name = "homeserver_pinger";
  using self_pointer = traced_actor<pinger_actor>*;

  explicit pinger_state(self_pointer self) : self_{self} {
  }

  pinger_actor::behavior_type start(pinger_config config,
                                    std::shared_ptr<const peers> house);

private:
  void use(const std::vector<appservice_id>& appservices);
  void next();
  void answered(const http_answer& answer, instant started);

  self_pointer self_;
  pinger_config config_;
  std::shared_ptr<const peers> house_;
  policy::turns turns_;
  policy::backoff pause_{{milliseconds{1'000}, milliseconds{30'000}, 0.2}};
  std::mt19937_64 random_;
};

using pinger = weir_actor<pinger_actor, pinger_state, pinger_config,
                          std::shared_ptr<const peers>>;

} // namespace weir
