#pragma once

#include "actors/interfaces.hpp"
#include "actors/policy/realm_lanes.hpp"
#include "actors/policy/send_verdict.hpp"
#include "actors/settings.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace weir {

/// What a realm queue is given.
struct realm_queue_config {
  realm_id realm;
  std::shared_ptr<const house_settings> settings;
};
BOOST_DESCRIBE_STRUCT(realm_queue_config, (), (realm, settings))

/// Binds and sends the events of one realm. It only translates:
/// `policy::realm_lanes` says which rooms could be sent to, the pacer when, the
/// store writer keeps what is promised, the transport sends.
///
/// Towards the store one request is open at a time, and what comes together
/// meanwhile goes in the next. One whose answer was lost is asked again, of the
/// same writer: each of them may be done twice. A send has these steps, and
/// nothing of it is forgotten in between: permit, begun in the store, cleared
/// by the pacer, signed in, sent, permit ended, settled in the store.
class realm_queue_state {
public:
  static constexpr const char* name = "realm_queue";
  using self_pointer = traced_actor<realm_queue_actor>*;
  static std::string trace_name(const realm_queue_config& config,
                                const std::shared_ptr<const peers>&) {
    return "realm/" + config.realm.value;
  }

  explicit realm_queue_state(self_pointer self) : self_{self} {
  }
  ~realm_queue_state();

  realm_queue_actor::behavior_type start(realm_queue_config config,
                                         std::shared_ptr<const peers> house);

private:
  /// A send that has a permit, or has had its answer.
  struct flight {
    uint64_t permit = 0;   ///< 0: it is not ours any more.
    uint64_t next = 0;     ///< One that came for the send behind; 0: none.
    bool was_bind = false; ///< The permit named no room.
    owed_send what;
    uint64_t http = 0;
    uint64_t session = 0; ///< It was sent in.
    bool signed_in_again = false;
  };
  using answer_handler
    = void (realm_queue_state::*)(const room_id&, const http_answer&);

  // What the store is asked: realm_queue.cpp.
  void woken(const wake_realm& what);
  void use(const std::shared_ptr<const peers>& now);
  void proceed();
  void ask_store();
  void load();
  void loaded(const realm_loaded& what);
  void bind();
  void bound(const realm_bound& what, uint64_t permit);
  void start_bound(const realm_bound& what, uint64_t permit);
  void sweep();
  void expire();
  void work();
  void worked(const work_realm& asked, const realm_worked& what);
  void swept(const begin_realm_send& asked, const realm_send_begun& what);
  void store_failed(const caf::error& why);
  void take(const realm_news& news);
  void forget_lanes();
  void offer();
  void arm_wake();

  // What becomes of a send: realm_sends.cpp.
  void take_permit(const send_permit& what);
  void return_unused(uint64_t permit);
  void begun(const room_id& room, const realm_send_begun& what);
  void clear(const room_id& room);
  void sign_in(const room_id& room);
  void send(const room_id& room);
  void request(const room_id& room, http_request what, answer_handler then);
  void came_back(const room_id& room, uint64_t id, const http_answer& answer,
                 answer_handler then);
  void answered(const room_id& room, const http_answer& answer);
  void look_up(const room_id& room);
  void looked_up(const room_id& room, const http_answer& answer);
  void sign_in_again(const room_id& room);
  void settle(const room_id& room, send_outcome how, const std::string& id,
              const std::string& cause);
  void retry(const room_id& room, const end_send& ended);
  void end_permit(flight& of, end_send ended);
  void settled(const room_id& room, const realm_send_settled& what);
  void give_up(const room_id& room, bool is_offered);
  void wait(const room_id& room, milliseconds rest);
  void withdraw(std::vector<room_id> rooms);
  void take_next(const room_id& room, uint64_t permit);

  // Beside that: realm_queue_rest.cpp.
  void look_after_itself();
  void left(const leave_decision& decision);
  caf::result<drained> drain();
  void finish_drain();
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] instant deadline() const;
  [[nodiscard]] const store_writer_actor& writer() const;

  static constexpr auto store_timeout
    = limits::operation_deadline + limits::operation_commit_grace;

  self_pointer self_;
  realm_queue_config config_;
  realm_settings of_;
  realm_ordering ordering_ = realm_ordering::room;
  std::shared_ptr<const peers> house_;
  std::optional<policy::realm_lanes> lanes_;
  std::map<room_id, flight> flights_;
  std::optional<session_opened> session_;
  uint64_t lost_session_ = 0;
  realm_news news_;      ///< As the store told last.
  std::string after_;    ///< Lanes up to here were read.
  bool known_ = false;   ///< The first page of lanes was read.
  bool asking_ = false;  ///< A request to the writer is open.
  bool resting_ = false; ///< It failed: asked again when the timer is due.
  bool look_ = true;     ///< What is to be done with the head is not known.
  bool expire_ = true;
  /// Lanes above may hold what ends unsent, and are gone through.
  std::optional<std::string> sweep_after_;
  bool wants_bind_ = false;   ///< A turn would bind the head.
  bool bind_offered_ = false; ///< The pacer knows that.
  std::deque<uint64_t> bind_permits_;
  std::optional<instant> head_until_; ///< It may end without rooms then.
  work_realm next_;                   ///< What the next request will hold.
  uint64_t armed_ = 0;
  std::optional<instant> wakes_at_;
  uint64_t wakes_seen_ = 0;
  instant busy_at_{}; ///< When it had something to do last.
  bool leaving_ = false;
  bool draining_ = false;
  std::vector<caf::typed_response_promise<drained>> drainers_;
};

using realm_queue
  = weir_actor<realm_queue_actor, realm_queue_state, realm_queue_config,
               std::shared_ptr<const peers>>;

} // namespace weir
