#pragma once

#include "actors/house.hpp"
#include "tests/sim/dice.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir::sim {

/// One node: the actors of a house on one thread and on the clock of the
/// simulation. Several may live side by side; the world moves their clocks
/// together. To end one is to destroy it: all its actors go at once, and what
/// they promised comes out as it would, so that the caller must know whether
/// anybody is there to hear it.
class node {
public:
  /// `now` is the time at which it begins. `config.elapsed_clock` is the
  /// world's.
  node(house_config config, milliseconds now, uint64_t order_seed, bool fine);
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  /// Runs one message of an actor drawn at random; false when all are idle.
  bool step();
  /// When its next timer is due.
  [[nodiscard]] std::optional<milliseconds> next_timer() const;
  /// Moves its clock; what is due then can run.
  void advance_to(milliseconds now);

  void offer(accept_transaction request, milliseconds hold,
             std::function<void(expected<transaction_stored>)> done);
  void alive(const appservice_id& id);
  void command(const queue_command& what,
               std::function<void(expected<command_done>)> done);
  void replay(const replay_letters& which,
              std::function<void(expected<kept_changed>)> done);
  void drop(const drop_letters& which,
            std::function<void(expected<kept_changed>)> done);
  void remove(const appservice_id& id,
              std::function<void(expected<removal_done>)> done);
  /// The configuration was read again.
  void reload(const house_settings& now);
  void wake(const appservice_id& id, std::optional<owed_transaction> pinned);
  void ready(std::function<void(expected<stored>)> done);
  void queues(std::function<void(expected<queues_page>)> done);
  void drain(std::function<void()> done);
  /// Ends the child called `name`; its supervisor learns of it.
  void kill(const std::string& name);

  /// Actors that run now.
  [[nodiscard]] size_t actors() const;
  /// The same when no queue has anything to do.
  [[nodiscard]] size_t actors_at_rest() const;
  [[nodiscard]] size_t timers() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace weir::sim
