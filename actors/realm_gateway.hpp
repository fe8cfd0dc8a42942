#pragma once

#include "actors/interfaces.hpp"
#include "actors/policy/catch_up.hpp"
#include "actors/policy/realm_return.hpp"
#include "actors/policy/wait_line.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <variant>

namespace weir {

/// Passes what producers and operators want of realms on to the store, holds
/// events while it is away, and lets reads wait: for what their tokens have
/// seen, for an event to be over, for the next outcome. Wakes a realm after
/// each commit that it may have to do with.
class realm_gateway_state {
public:
  static constexpr const char* name = "realm_gateway";
  using self_pointer = traced_actor<realm_gateway_actor>*;

  explicit realm_gateway_state(self_pointer self);
  realm_gateway_actor::behavior_type start(std::shared_ptr<const peers> house);

private:
  /// A write that no commit has answered yet.
  struct write_under_way {
    std::function<void()> attempt;
    std::function<void(const error&)> refuse;
    instant hold_until;
    std::optional<error> failure; ///< Of the last try: it is held since.
  };
  using question = std::variant<ask_realm, ask_feed>;
  /// A read that waits, or has been asked of a reader.
  struct read_under_way {
    question what;
    policy::catch_up token;
    instant until;     ///< It waits for news no longer.
    uint64_t seen = 0; ///< Commits there were before it looked last.
  };

  /// `attempted` is tried until it is committed, or `hold` is over.
  template <class Reply, class Request, class Then>
  void write(const Request& request, const callback<expected<Reply>>& done,
             milliseconds hold, Then then);
  template <class Reply, class Request, class Then>
  void try_write(uint64_t ticket, Request request,
                 const callback<expected<Reply>>& done, Then then);
  void write_failed(uint64_t ticket, const error& why);
  void submit(const ask_submit& what);
  void wake(const realm_id& realm, realm_change what);
  [[nodiscard]] realm_offers_answered
  with_return(const submit_realm_events& request,
              const realm_events_taken& taken) const;

  void read(question what, const read_patience& patience);
  void look(uint64_t ticket);
  template <class Ask, class Answer>
  void ask_reader(uint64_t ticket, const Ask& what);
  template <class Ask, class Answer>
  void answered(uint64_t ticket, const Answer& found);
  void look_around();
  void wait_for_news(uint64_t ticket);
  void end_waits();
  void tell_health();
  template <class Reply, class Request>
  void ask_once(const Request& request, const callback<expected<Reply>>& done);

  self_pointer self_;
  std::shared_ptr<const peers> house_;
  uint64_t next_ticket_ = 2; ///< 0 and 1 are its own.
  /// Bounded by the listener's connections and its budget for bodies.
  std::map<uint64_t, write_under_way> writes_;
  /// Bounded by the listener's connections.
  std::map<uint64_t, read_under_way> reads_;
  policy::wait_line waiting_;
  policy::realm_return back_;
  bool looking_ = false; ///< The next look around is armed.
  bool draining_ = false;
  size_t next_reader_ = 0;
};

using realm_gateway = weir_actor<realm_gateway_actor, realm_gateway_state,
                                 std::shared_ptr<const peers>>;

} // namespace weir
