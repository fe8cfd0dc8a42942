#pragma once

#include "actors/interfaces.hpp"
#include "actors/policy/restart_intensity.hpp"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir {

/// One child: how it is started, and where its handle is put. Children are
/// started in order and may use the handles of those before them.
struct child_spec {
  std::string name;
  std::function<caf::actor(traced_actor<supervisor_actor>&, peers&,
                           std::shared_ptr<const peers>)>
    spawn;
  /// Tells a live child of new handles; empty for those that need none.
  std::function<void(traced_actor<supervisor_actor>&, const caf::actor&,
                     std::shared_ptr<const peers>)>
    tell;
  /// Tells a live child that the configuration was read again; empty likewise.
  std::function<void(traced_actor<supervisor_actor>&, const caf::actor&,
                     const use_settings&)>
    reload;
  bool reloads = true; ///< False: it is not told all the same.
};
BOOST_DESCRIBE_STRUCT(child_spec, (), (name, reloads))

/// The children in their order of start, and the limits of their restarts.
struct supervisor_config {
  std::vector<child_spec> children;
  std::shared_ptr<const house_settings> settings;
  policy::restart_intensity::limits intensity;
  milliseconds drain_timeout{20'000};
  std::function<void(std::shared_ptr<const peers>)> on_change;
  /// A crash loop, or the supervisor's own end by a fault: the house stands no
  /// more, for the process manager to see.
  std::function<void()> on_give_up;
};
BOOST_DESCRIBE_STRUCT(supervisor_config, (),
                      (children, settings, intensity, drain_timeout))

/// Starts the house and keeps it standing. A child that ends is started anew
/// from the store, and all others are told; a crash loop ends the process.
class supervisor_state {
public:
  static constexpr const char* name = "supervisor";
  using self_pointer = traced_actor<supervisor_actor>*;

  explicit supervisor_state(self_pointer self) : self_{self} {
  }
  ~supervisor_state();

  supervisor_actor::behavior_type start(supervisor_config config);

private:
  void start_child(size_t index);
  void child_down(const caf::down_msg& down);
  void tell_all();
  void use(const use_settings& now);
  caf::result<drained> drain();
  template <class Directory>
  void drain_one(const Directory& of, std::function<void()> done);

  self_pointer self_;
  supervisor_config config_;
  policy::restart_intensity intensity_{{}};
  peers now_;
  std::vector<caf::actor> alive_;
  bool draining_ = false;
  bool told_to_end_ = false;
};

using supervisor
  = weir_actor<supervisor_actor, supervisor_state, supervisor_config>;

} // namespace weir
