#pragma once

#include "actors/outbound_http.hpp"
#include "actors/trace/hooks.hpp"
#include "actors/trace/registry.hpp"
#include "actors/trace/session.hpp"

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <map>
#include <memory>
#include <string>

namespace weir::trace {

/// Where one actor is replayed: everybody else is a stand-in that only tells
/// the recorder what it was sent, and the network answers nothing.
class replay_world final : public actor_names {
public:
  replay_world();
  ~replay_world() override;
  replay_world(const replay_world&) = delete;
  replay_world& operator=(const replay_world&) = delete;

  caf::strong_actor_ptr named(const std::string& label) override;

  /// For a sender that is no actor of Weir.
  caf::strong_actor_ptr nobody();

  /// The next actor that the record under way had made.
  caf::strong_actor_ptr next_spawned();

  /// The actor to be replayed, made from `arguments`; null with a sentence in
  /// `how.problem` when that cannot be.
  caf::strong_actor_ptr make(const std::string& kind, const json& arguments,
                             reading& how);

  void set_time(instant now);
  void run();
  /// Ends what was made.
  void end(const caf::strong_actor_ptr& actor);

  replayed_seams seams;

private:
  class silent_network final : public outbound_http {
  public:
    void send(uint64_t, http_request,
              std::function<void(http_answer)>) override {
    }
    void abort(uint64_t) override {
    }
  };

  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::scheduler::test_coordinator* scheduler_ = nullptr;
  std::map<std::string, caf::strong_actor_ptr> stand_ins_;
  silent_network network_;
};

} // namespace weir::trace
