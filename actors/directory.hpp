#pragma once

#include "actors/drain_round.hpp"
#include "actors/interfaces.hpp"
#include "actors/policy/restart_intensity.hpp"
#include "actors/settings.hpp"

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace weir {

/// Spawns one appservice queue; a seam, so that tests may put a fake there.
using spawn_queue_function = std::function<appservice_queue_actor(
  traced_actor<directory_actor>&, const queue_settings&,
  std::shared_ptr<const peers>)>;

/// What a directory needs to make queues.
struct directory_config {
  std::shared_ptr<const house_settings> settings;
  spawn_queue_function spawn_queue;
};
BOOST_DESCRIBE_STRUCT(directory_config, (), (settings, spawn_queue))

/// Keeps the live queues. A queue exists while it has something to do. It is
/// monitored and not linked: one that dies is restarted alone, while a
/// directory that dies ends its queues, and the next one starts from the store.
class directory_state {
public:
  static constexpr const char* name = "directory";
  using self_pointer = traced_actor<directory_actor>*;

  explicit directory_state(self_pointer self) : self_{self} {
  }
  ~directory_state();

  directory_actor::behavior_type start(directory_config config,
                                       std::shared_ptr<const peers> house);

private:
  struct entry {
    appservice_queue_actor queue;
    uint64_t wakes = 0;    ///< Sent to this actor.
    bool retiring = false; ///< Let go: it ends when nothing is in flight.
  };

  void wake_one(const wake_queue& what);
  entry* live(const appservice_id& id);
  void pass_alive(const bridge_alive& what);
  void pass_command(const give_command& what);
  caf::result<leave_decision> consider(const ask_leave& request);
  void know(std::shared_ptr<const house_settings> settings);
  void use(const use_settings& now);
  void retire(const appservice_id& id, entry& one);
  void adopt(const std::vector<appservice_id>& ids);
  void scan();
  void scan_page(appservice_id after);
  void queue_down(const caf::down_msg& down);

  self_pointer self_;
  directory_config config_;
  std::shared_ptr<const peers> house_;
  std::unordered_map<appservice_id, const queue_settings*> known_;
  std::unordered_map<appservice_id, entry> live_;
  policy::restart_intensity intensity_{{}};
  drain_round drain_;
};

using directory = weir_actor<directory_actor, directory_state, directory_config,
                             std::shared_ptr<const peers>>;

} // namespace weir
