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

/// Spawns one realm queue; a seam, so that tests may put a fake there.
using spawn_realm_function = std::function<realm_queue_actor(
  traced_actor<realm_directory_actor>&, const realm_id&,
  std::shared_ptr<const peers>)>;

/// What a realm directory needs to make queues.
struct realm_directory_config {
  std::shared_ptr<const house_settings> settings;
  spawn_realm_function spawn_queue;
};
BOOST_DESCRIBE_STRUCT(realm_directory_config, (), (settings, spawn_queue))

/// Keeps the live realm queues. One exists while its realm has something to do.
/// It is monitored and not linked: one that dies is restarted alone, while a
/// directory that dies ends its queues, and the next one starts from the store.
/// Beside that it goes round all realms to forget what is over.
class realm_directory_state {
public:
  static constexpr const char* name = "realm_directory";
  using self_pointer = traced_actor<realm_directory_actor>*;

  explicit realm_directory_state(self_pointer self) : self_{self} {
  }
  ~realm_directory_state();

  realm_directory_actor::behavior_type
  start(realm_directory_config config, std::shared_ptr<const peers> house);

private:
  struct entry {
    realm_queue_actor queue;
    uint64_t wakes = 0; ///< Sent to this actor.
  };

  void wake_one(const wake_realm& what);
  caf::result<leave_decision> consider(const ask_realm_leave& request);
  void scan();
  void scan_page(realm_no after);
  void clean();
  void clean_page(realm_no after);
  void clean_one(std::vector<realm_row> rest, realm_no last);
  void queue_down(const caf::down_msg& down);

  self_pointer self_;
  realm_directory_config config_;
  std::shared_ptr<const peers> house_;
  std::unordered_map<realm_id, entry> live_;
  policy::restart_intensity intensity_{{}};
  bool is_cleaning_ = false;
  drain_round drain_;
};

using realm_directory
  = weir_actor<realm_directory_actor, realm_directory_state,
               realm_directory_config, std::shared_ptr<const peers>>;

} // namespace weir
