#pragma once

#include "actors/bridge_board.hpp"
#include "actors/interfaces.hpp"

#include <map>
#include <memory>
#include <optional>

namespace weir {

/// Passes what the I/O threads ask on to the actor that answers, and holds
/// offered transactions while the store is away, since a refused homeserver
/// drops what it had for the bridge (R2).
class gateway_state {
public:
  static constexpr const char* name = "gateway";
  using self_pointer = traced_actor<gateway_actor>*;

  explicit gateway_state(self_pointer self) : self_{self} {
  }

  gateway_actor::behavior_type start(std::shared_ptr<const peers> house);

private:
  /// One that no commit has answered yet.
  struct offer_under_way {
    offer_transaction what;
    std::optional<error> failure; ///< Of the last try: it is held since.
    held_mark held;
  };

  void offer(const offer_transaction& what);
  void try_offer(uint64_t ticket);
  void offer_stored(uint64_t ticket, const transaction_stored& result);
  void offer_full(uint64_t ticket);
  void offer_failed(uint64_t ticket, const error& why);
  void end_holds(const end_holds_now& which);
  void keep_body(const offer_quarantine& what);
  template <class Reply, class Request>
  void ask_reader(const Request& request,
                  const callback<expected<Reply>>& done);
  template <class Reply, class Request, class Then>
  void ask_writer(Request request, const callback<expected<Reply>>& done,
                  Then then);
  void replay(const ask_replay& what);
  void ask_network(const ask_http& what);
  void check_ready(const ask_ready& what);

  self_pointer self_;
  std::shared_ptr<const peers> house_;
  uint64_t next_ticket_ = 1;
  /// Bounded by the listener's in-flight budget and connections.
  std::map<uint64_t, offer_under_way> offers_;
  /// A drain has begun: what fails is not held any more.
  bool draining_ = false;
  size_t next_reader_ = 0;
  std::optional<instant> ready_at_; ///< When a commit last showed it.
};

using gateway
  = weir_actor<gateway_actor, gateway_state, std::shared_ptr<const peers>>;

} // namespace weir
