#pragma once

#include "actors/house.hpp"
#include "actors/messages/delivery.hpp"
#include "tests/support/actors/scripted_network.hpp"
#include "tests/support/memory_store/memory_store.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace caf {
class actor_system;
class event_based_actor;
} // namespace caf

namespace weir {
struct peers;
}

namespace weir::test {

/// A bridge at `http://NAME`, with pauses that are exact: no jitter.
queue_settings bridge(const std::string& name);

/// What became of something that was asked, and when.
template <class T>
struct asked {
  std::optional<T> answer;
  milliseconds at{0};
  size_t answers = 0; ///< Must never exceed one.
};
template <class T>
using asked_ptr = std::shared_ptr<asked<T>>;

/// The whole house of actors on one thread, a virtual clock, the in-memory
/// store and a scripted network. Nothing runs but in `run`, `step` and
/// `advance`. What it spawned it ends.
class actor_fixture {
public:
  explicit actor_fixture(std::vector<queue_settings> bridges = {bridge("irc")});
  ~actor_fixture();
  actor_fixture(const actor_fixture&) = delete;
  actor_fixture& operator=(const actor_fixture&) = delete;

  // -- to be changed before `start` ----------------------------------------

  house_settings settings;
  house_config config; ///< Its seams are set by `start`.

  // -- the world ------------------------------------------------------------

  memory_database database;
  scripted_network network;
  size_t give_ups = 0;
  /// Called with the name of each child that is about to be started.
  std::function<void(const std::string&)> before_spawn;
  size_t opened_stores = 0;

  /// Starts the house and lets it settle.
  void start();
  /// Ends it at once, as a kill would, but for what is in the database.
  void stop();

  void run();  ///< All that can run now.
  bool step(); ///< One message; false when none is waiting.
  /// Moves the clock, stopping wherever something is due.
  void advance(milliseconds by);
  /// Moves it and fires what is due, but runs nothing.
  void move_clock(milliseconds by);
  [[nodiscard]] milliseconds elapsed() const;
  /// From now on, runs what is ready in an order drawn from `seed`.
  void shuffle(uint64_t seed);

  // -- the house ------------------------------------------------------------

  /// Offers a transaction of events `$TXN-0`, `$TXN-1`, ….
  asked_ptr<expected<transaction_stored>>
  offer(const std::string& bridge, const std::string& txn, size_t events = 1,
        milliseconds hold = milliseconds{45'000});
  /// Offers a body that is no transaction.
  asked_ptr<expected<quarantined>> quarantine(const std::string& bridge,
                                              const std::string& body);
  /// Offers `body` by the bounds of its queue.
  asked_ptr<expected<transaction_stored>> offer_body(const std::string& bridge,
                                                     const std::string& txn,
                                                     const std::string& body);
  asked_ptr<expected<stored>> ready();
  asked_ptr<expected<queues_page>> queues();
  asked_ptr<expected<store_figures>> figures();
  asked_ptr<expected<command_done>> command(queue_command what);
  /// All dead letters of a bridge are to be put back.
  asked_ptr<expected<kept_changed>> replay(const std::string& bridge);
  asked_ptr<http_answer> request(http_request what);
  asked_ptr<drained> drain();
  void alive(const std::string& bridge);
  /// The configuration was read again and names these.
  void reload(std::vector<queue_settings> bridges);

  /// Ends the child called `name`; the supervisor learns of it.
  void kill(const std::string& name);
  /// Children started so far, by name.
  std::map<std::string, size_t> starts;

  // -- what is there --------------------------------------------------------

  [[nodiscard]] queue_row row(const std::string& bridge) const;
  [[nodiscard]] std::optional<queue_status_row>
  status_row(const std::string& bridge) const;
  [[nodiscard]] size_t running_actors() const;
  /// Timers that wait, time-outs of requests among them.
  [[nodiscard]] size_t timers() const;
  [[nodiscard]] instant now() const;

  // -- for tests that speak CAF ---------------------------------------------

  caf::actor_system& system();
  [[nodiscard]] const peers& house() const;
  /// Runs `work` inside an actor that drops what it is not asked.
  void as_actor(std::function<void(caf::event_based_actor&)> work);

private:
  class impl;
  template <class T>
  std::function<void(T)> keep(const asked_ptr<T>& in);
  void set_seams();

  std::unique_ptr<impl> impl_;
};

} // namespace weir::test
