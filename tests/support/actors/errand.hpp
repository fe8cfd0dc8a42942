#pragma once

#include "actors/base.hpp"

#include <boost/describe/class.hpp>
#include <caf/all.hpp>

#include <functional>

namespace weir::test {

/// For what must be asked by an actor.
struct errand {
  std::function<void(caf::event_based_actor&)> run;
};
BOOST_DESCRIBE_STRUCT(errand, (), ())

/// Runs errands and drops all else.
class errand_actor : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    set_default_handler(caf::drop);
    return {[this](const errand& what) { what.run(*this); }};
  }
};

/// For an actor system on one thread and a clock that the test moves.
inline caf::actor_system_config& prepared(caf::actor_system_config& config) {
  config.set("scheduler.policy", caf::atom("testing"));
  config.set("logger.console", caf::atom("none"));
  return config;
}

} // namespace weir::test
