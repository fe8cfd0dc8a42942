#pragma once

#include "actors/messages/admin.hpp"
#include "actors/messages/control.hpp"
#include "actors/messages/figures.hpp"
#include "actors/messages/kept.hpp"
#include "actors/messages/removal.hpp"
#include "actors/messages/store.hpp"
#include "actors/outbound_http.hpp"
#include "actors/realm_door.hpp"
#include "actors/settings.hpp"
#include "persistence/store.hpp"
#include "persistence/tokens.hpp"

#include <functional>
#include <memory>
#include <string>

namespace weir {

/// What the house stands on: its seams, and how large it is.
struct house_config {
  std::shared_ptr<const house_settings> settings;
  std::function<expected<std::unique_ptr<store>>()> open_store;
  std::function<expected<std::unique_ptr<store_reader>>()> open_reader;
  /// Of stream tokens; null: none are taken.
  std::shared_ptr<const token_authority> tokens;
  outbound_http* network = nullptr; ///< Outlives the house.
  std::function<milliseconds()> elapsed_clock;
  std::function<uint64_t()> random; ///< 64 random bits.
  std::string node;                 ///< Owner of the slots.
  size_t writers = 1;
  size_t readers = 2;
  size_t threads = 2;
  size_t max_throughput = 50; ///< Messages an actor takes before it yields.
  /// Writers and readers block on SQL and so get threads of their own; tests
  /// run them among the others, on the virtual clock.
  bool store_threads = true;
  /// The request that asks the homeserver to ping one appservice; empty: none
  /// is asked.
  std::function<http_request(const appservice_id&)> make_ping;
  std::function<void()> on_give_up;
};

/// The actors of one node behind a door of plain C++: what the listeners know
/// of them. All methods may be called from any thread; every continuation runs
/// exactly once, on a thread of the actors, and must not block.
class house {
public:
  explicit house(house_config config);
  ~house(); ///< Stops what still runs. `drain` first for a clean end.
  house(const house&) = delete;
  house& operator=(const house&) = delete;

  /// Stores a homeserver's transaction; holds it while the store is away, until
  /// `hold_for` has passed. Errors: `ec::unavailable`, `ec::expired`,
  /// `ec::rejected`.
  void offer(accept_transaction request, milliseconds hold_for,
             std::function<void(expected<transaction_stored>)> done);

  /// Keeps a body that is no transaction, if there is room for it and the store
  /// is there. Errors: those of `offer`.
  void quarantine(quarantine_body request,
                  std::function<void(expected<quarantined>)> done);

  /// A bridge has shown that it is there.
  void alive(const appservice_id& id);

  /// One outbound request, by the transport.
  void request(http_request what, std::function<void(http_answer)> done);

  void queues(read_queues request,
              std::function<void(expected<queues_page>)> done);
  void queue(read_queue request,
             std::function<void(expected<queues_page>)> done);
  void commands(read_commands request,
                std::function<void(expected<commands_page>)> done);

  /// The figures of the whole store, for /metrics.
  void figures(std::function<void(expected<store_figures>)> done);

  /// What an operator wants done with a queue. Errors: those of `offer`, and
  /// then it was done or was not.
  void command(queue_command what,
               std::function<void(expected<command_done>)> done);

  void dead_letters(read_dead_letters request,
                    std::function<void(expected<dead_letters_page>)> done);
  void dead_letter(read_dead_letter request,
                   std::function<void(expected<dead_letters_page>)> done);

  /// Puts dead letters back, or drops them: one commit's worth. Errors: those
  /// of `offer`, and then it was done or was not.
  void replay(replay_letters request,
              std::function<void(expected<kept_changed>)> done);
  void drop(drop_letters request,
            std::function<void(expected<kept_changed>)> done);

  void quarantine_listing(read_quarantine request,
                          std::function<void(expected<quarantine_page>)> done);
  void quarantined_body(read_quarantined request,
                        std::function<void(expected<quarantine_page>)> done);
  void drop_bodies(drop_quarantined request,
                   std::function<void(expected<kept_changed>)> done);

  /// A page of all that is kept of an appservice.
  void export_of(read_export request,
                 std::function<void(expected<export_page>)> done);
  /// Deletes rows of an appservice that is not configured, a commit's worth.
  void remove(remove_appservice request,
              std::function<void(expected<removal_done>)> done);

  /// The configuration was read again: appservices are added, let go and served
  /// in another way from now on. Of the settings only `queues` may differ, and
  /// the board knows those that are new.
  void use(std::shared_ptr<const house_settings> settings);

  /// The door of realms.
  [[nodiscard]] const realm_door& realms() const;

  /// Is the store writable? Answered by a commit.
  void ready(std::function<void(expected<stored>)> done);

  /// Starts nothing more and waits until nothing is in flight, at most the
  /// drain time-out. Blocks.
  void drain();

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace weir
