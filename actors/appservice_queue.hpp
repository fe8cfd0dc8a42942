#pragma once

#include "actors/interfaces.hpp"
#include "actors/policy/delivery.hpp"
#include "actors/settings.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <random>

namespace weir {

/// What an appservice queue is given.
struct appservice_queue_config {
  queue_settings settings;
  milliseconds idle_after{30'000};
  uint64_t seed = 0;                   ///< Of the jitter.
  std::shared_ptr<bridge_board> board; ///< May be null.
};
BOOST_DESCRIBE_STRUCT(appservice_queue_config, (),
                      (settings, idle_after, seed, board))

/// Delivers one outbox. It only translates: `policy::delivery` decides what
/// happens next, the store writer keeps what is promised, the transport sends.
/// At most one request to either is open at any time, which is why one
/// transaction at most is in flight (G4). After anything unknown it forgets
/// what it knows and loads again, through the same writer.
class appservice_queue_state {
public:
  static constexpr const char* name = "appservice_queue";
  using self_pointer = traced_actor<appservice_queue_actor>*;
  static std::string trace_name(const appservice_queue_config& config,
                                const std::shared_ptr<const peers>&) {
    return "appservice/" + config.settings.id.value;
  }

  explicit appservice_queue_state(self_pointer self) : self_{self} {
  }
  ~appservice_queue_state();

  appservice_queue_actor::behavior_type
  start(appservice_queue_config config, std::shared_ptr<const peers> house);

private:
  void woken(const wake& what);
  void use(queue_settings now);
  [[nodiscard]] bool may_take(const wake& what) const;
  void proceed();
  void take_step();
  void load();
  void loaded(const queue_loaded& what);
  void send();
  void http_began(uint64_t id);
  void http_ended();
  void answered(const http_answer& answer, instant started);
  void came_back(const http_answer& answer, instant started, uint64_t id);
  void unsent(uint64_t id, instant started, const caf::error& why);
  void interrupted();
  void prove_alive();
  void proved(bool alive);
  void settle();
  void settled(const transaction_settled& what, settlement how);
  void lost_track(const caf::error& why);
  void take(std::optional<owed_transaction> pinned);
  void rest();
  void keep_pause(const policy::delivery::stored_pause& pause);
  void tell_status();
  void publish();
  milliseconds slow_send_for();
  void command(const give_command& given);
  void answer_those_in_flight();
  void store_halt(const give_command& given);
  void halt_stored(const give_command& given, const queue_halted& now);
  void halt_unknown(const give_command& given, const caf::error& why);
  void take_command();
  void consider_retry(const give_command& given);
  void store_retry(const give_command& given);
  void retry_stored(const give_command& given, const back_off_ended& what);
  void end_lane_of(const give_command& given);
  void store_skip(const give_command& given);
  void skip_stored(const give_command& given, const transaction_skipped& how);
  void overdue(uint64_t ticket);
  void give_up(uint64_t http_id);
  void refuse_commands();
  void go_idle();
  void consider_leaving();
  void left(const leave_decision& decision);
  caf::result<drained> drain();
  void finish_drain();
  [[nodiscard]] instant deadline() const;
  [[nodiscard]] stored_time store_now() const;
  [[nodiscard]] const store_writer_actor& writer() const;

  /// A command that waits for what is under way.
  struct waiting_command {
    uint64_t ticket = 0;
    give_command given;
  };

  /// A writer that does not answer in this time is gone or stuck; what became
  /// of the operation is not known then.
  static constexpr auto store_timeout
    = limits::operation_deadline + limits::operation_commit_grace;

  self_pointer self_;
  appservice_queue_config config_;
  std::shared_ptr<const peers> house_;
  std::optional<policy::delivery> delivery_;
  std::mt19937_64 random_;
  std::optional<owed_transaction> pinned_;
  instant taken_at_{};   ///< When `pinned_` came; its `as_of` in our clock.
  bool known_ = false;   ///< What the store holds for us is known.
  bool busy_ = false;    ///< A request to writer or transport is open.
  bool woken_ = false;   ///< A wake came while busy.
  bool leaving_ = false; ///< The directory is asked whether we may go.
  bool draining_ = false;
  uint64_t wakes_seen_ = 0;
  uint64_t armed_ = 0;                 ///< The pause timer that counts.
  std::optional<instant> rests_until_; ///< When it is due, if it is a pause's.
  uint64_t ended_seq_ = 0;             ///< The last seq of what was ended here.
  bool lost_ = true; ///< An ending may be unknown: only the store can tell.
  instant idle_since_{};
  bool idle_armed_ = false;
  bool status_armed_ = false;
  std::string published_;
  std::vector<caf::typed_response_promise<drained>> drainers_;
  std::deque<waiting_command> commands_;
  uint64_t last_ticket_ = 0;
  size_t halts_under_way_ = 0;
  uint64_t open_http_ = 0; ///< The send or proof that is open; 0: none.
  uint64_t given_up_ = 0;  ///< The one that was given up for a command.
  instant sending_since_{};
  bool slow_armed_ = false;
  txn_id delivered_last_; ///< By this actor.
};

using appservice_queue
  = weir_actor<appservice_queue_actor, appservice_queue_state,
               appservice_queue_config, std::shared_ptr<const peers>>;

} // namespace weir
