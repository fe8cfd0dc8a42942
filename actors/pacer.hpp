#pragma once

#include "actors/interfaces.hpp"
#include "actors/policy/pacer.hpp"
#include "actors/settings.hpp"

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>

namespace weir {

/// Who decides every start toward the homeserver for one account: it translates
/// to `policy::pacer`. Nothing is granted before it knows that no send of an
/// earlier one is open any more, and until when the account rests.
///
/// A realm queue that ends gives its permits back by it: what it had in flight
/// is closed first, so that neither slot nor room is free too early.
class pacer_state {
public:
  static constexpr const char* name = "pacer";
  using self_pointer = traced_actor<pacer_actor>*;

  explicit pacer_state(self_pointer self) : self_{self} {
  }

  pacer_actor::behavior_type
  start(std::shared_ptr<const house_settings> settings, uint64_t seed,
        std::shared_ptr<const peers> house);

private:
  /// A permit that is out.
  struct open_permit {
    std::string realm;
    room_id room; ///< Empty until the realm says which.
    bool is_cleared = false;
  };
  /// One that offers.
  struct offerer {
    realm_queue_actor queue;
    std::set<room_id> rooms; ///< Offered now.
  };

  void close_lanes();
  void load();
  void grant();
  void offer(const offer_sends& what);
  void withdraw(const withdraw_sends& what);
  send_cleared clear(const clear_send& what);
  caf::result<send_over> end(const end_send& what);
  void give_back(const return_permit& what);
  void forget(const std::string& realm);
  void close(uint64_t id, const room_id& room);
  void keep_pause();
  void keep_hold();
  void tell(const policy::pause_effect& effect, const std::string& cause);
  pace_view view();
  [[nodiscard]] double spread();
  [[nodiscard]] const store_writer_actor& writer() const;
  [[nodiscard]] instant deadline() const;

  self_pointer self_;
  realm_settings of_;
  std::shared_ptr<const peers> house_;
  std::optional<policy::pacer> pacer_;
  std::mt19937_64 random_;
  bool lanes_closed_ = false; ///< Of an earlier pacer nothing is in flight.
  bool is_loaded_ = false;    ///< The stored pause is known.
  std::map<uint64_t, open_permit> open_;
  std::map<std::string, offerer> offerers_;
  std::set<caf::actor_addr> replaced_; ///< Queues that others stand for.
  uint64_t armed_ = 0;                 ///< The timer that counts.
  std::optional<instant> wakes_at_;
  bool is_keeping_ = false;
  bool retry_armed_ = false;
  std::string cause_; ///< Of the last answer that was not good.
  std::optional<std::string> held_stored_; ///< As the store has it, if known.
  bool was_held_ = false;
};

using account_pacer
  = weir_actor<pacer_actor, pacer_state, std::shared_ptr<const house_settings>,
               uint64_t, std::shared_ptr<const peers>>;

} // namespace weir
