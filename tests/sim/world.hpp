#pragma once

#include "tests/sim/backend.hpp"
#include "tests/sim/bridge.hpp"
#include "tests/sim/coverage.hpp"
#include "tests/sim/homeserver.hpp"
#include "tests/sim/lane_ledger.hpp"
#include "tests/sim/ledger.hpp"
#include "tests/sim/node.hpp"
#include "tests/sim/plan.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir::sim {

/// How a run is to be.
struct run_options {
  store_kind store = store_kind::sqlite;
  bool tell = false; ///< Keeps the lines of its history.
};

/// What a run came to.
struct run_result {
  std::optional<violation> found;
  uint64_t history = 0; ///< Hash of all that happened, in order.
  std::vector<std::string> lines;
  coverage covered;
  uint64_t transactions = 0; ///< Delivered.
  uint64_t elements = 0;
  uint64_t faults = 0;
  uint64_t restarts = 0;
  uint64_t messages = 0; ///< Taken by actors.
  milliseconds lasted{0};
};

/// Does what the plan says, and nothing else. The same plan and options give
/// the same result.
run_result run_plan(const plan& of, const run_options& how);

/// The whole of one run: a node, its store, homeservers, bridges, the network
/// between them, the clock and the faults, on one thread.
class world final : public outbound_http, public store_watch {
public:
  world(plan of, run_options how);
  ~world() override;

  run_result run();

  // -- the network of the node ----------------------------------------------

  void send(uint64_t id, http_request request,
            std::function<void(http_answer)> done) override;
  void abort(uint64_t id) override;

  // -- its store ------------------------------------------------------------

  bool is_away() override;
  commit_fate before_commit(const batch_content& content) override;
  void end_node() override;
  void committed(const batch_content& content) override;
  void doubted(const batch_content& content, uint64_t position) override;
  uint64_t letters_held(uint64_t bytes) override;
  void found(uint64_t position) override;

private:
  struct open_request {
    size_t bridge = 0;
    bool is_transaction = false;
    std::string id;
    bridge_reply reply;
    milliseconds due{0};
    std::function<void(http_answer)> done;
    bool orphaned = false; ///< Whoever asked may be gone.
    bool cut = false;      ///< The transport that has it is told to end.
  };
  struct side {
    bridge peer;
    homeserver hs;
    uint64_t offer = 0; ///< The open one, as the ledger knows it.
    std::vector<owed_transaction> wakes; ///< Promised of late.
    std::string last_sent;
    bool was_cut = false; ///< Its last transaction ended as "retired".
    bool restarted = false;
    std::string token = "token";
    milliseconds reloaded_at{-1};
    std::optional<milliseconds> resume_at = std::nullopt;
    bool perhaps_halted = false; ///< By an operator, who has to resume it.
    std::map<int64_t, lane> letters = {};       ///< Dead ones, by id.
    std::map<int64_t, lane> letters_going = {}; ///< Of who is removed.
    /// No configuration names it until then.
    std::optional<milliseconds> back_at = std::nullopt;
    std::optional<milliseconds> remove_at = std::nullopt; ///< Asked again.
  };
  struct doubt {
    batch_content content;
    uint64_t position = 0;
  };
  struct old_copy {
    milliseconds taken_at{0};
    milliseconds wanted_at{0};
    std::shared_ptr<const void> content;
    uint64_t mark = 0;
  };

  // What is done from outside.
  void act_on(const entry& line);
  void act_on_process(const entry& line);
  void act_on_store(const entry& line);
  void act_on_homeserver(const entry& line);
  void reload(const entry& line);
  void wake(const entry& line);
  void operate(const entry& line);
  void command(size_t bridge, queue_command what);
  void commanded(size_t bridge, const queue_command& what,
                 const expected<command_done>& done);
  void resume_due();
  void change_letters(const entry& line);
  void ask_letters(size_t bridge, bool drop, const kept_selection& which);
  void letters_changed(size_t bridge, bool drop, kept_selection which,
                       const expected<kept_changed>& done);
  void take_operations(const batch_content& content);
  void take_letters(const batch_content& content);
  void remove_bridge(const entry& line);
  void ask_removal_of(size_t bridge);
  void removals_due();
  void removals_lost();
  void take_removals(const batch_content& content);
  [[nodiscard]] house_settings in_force() const;
  void commands_lost();
  void pauses_unknown();
  void move_clock(milliseconds by);
  void put_copy_back(const entry& line);
  void lose_actors(std::string_view named);
  void met(act fault);
  void met(act fault, std::string step);
  [[nodiscard]] queue_step step_of(size_t bridge) const;

  // The life of the node.
  void start_node();
  void end_life();
  void stop_gently();
  void run_node();
  void settle();
  void crash();
  void at_stop_point(std::string_view step);
  [[nodiscard]] bool owes_something() const;
  house_config config();
  void check_token(const side& to, const http_request& request);
  [[nodiscard]] bool takes(act fault, const std::set<store_step>& at);
  [[nodiscard]] bool takes(act fault, size_t bridge, const std::string& id);

  // Homeservers.
  void offer_all();
  [[nodiscard]] transaction_bounds bounds_of(size_t bridge) const;
  void offer(size_t bridge, hs_transaction what);
  void offer_answered(size_t bridge, uint64_t offer,
                      const expected<transaction_stored>& answer);

  // The network.
  void answer_due();
  void close(uint64_t id, bool aborted);
  void hang_up();
  [[nodiscard]] size_t bridge_of(const http_request& request) const;
  [[nodiscard]] send_step step_of_send(size_t bridge,
                                       const std::string& id) const;

  // Time.
  [[nodiscard]] std::optional<milliseconds> next_moment() const;
  bool advance();
  void act_due();
  void end_trouble();
  [[nodiscard]] bool is_over();
  void finish();
  void check_books();
  void check_burial(size_t bridge, const batch_content::burial& of,
                    const std::vector<queue_row>& rows);
  void take_commit(const batch_content& content);
  [[nodiscard]] stored_time true_time() const;
  void note(const std::string& line);
  void trouble(milliseconds until);
  void lose_writer();
  void lose_commit();
  void miss_move();
  [[nodiscard]] milliseconds moves_by(milliseconds from) const;

  plan plan_;
  run_options how_;
  dice random_;
  milliseconds now_{0};
  milliseconds clock_moved_{0};
  bool clock_was_moved_ = false;
  bool move_unseen_ = false; ///< No commit has met the last move yet.
  run_result result_;
  ledger ledger_;
  std::vector<lane_promise> promised_;
  /// Bytes of dead letters that there is room for until the plan ends; 0: no
  /// bound to speak of.
  uint64_t letter_room_ = 0;
  lane_ledger lanes_;
  std::vector<std::unique_ptr<side>> sides_;
  std::unique_ptr<backend> store_;
  std::unique_ptr<node> node_;
  house_settings settings_; ///< Of this life.
  std::shared_ptr<store_watch> watch_;
  uint64_t life_ = 0; ///< Of the node; what another promised is void.
  bool node_ended_ = false;
  bool power_cut_ = false; ///< How it ends.
  bool gave_up_ = false;
  bool draining_ = false;
  bool drained_ = false;
  milliseconds starts_at_{0};
  std::map<uint64_t, open_request> open_;
  std::map<uint64_t, milliseconds> offers_; ///< Open ones, since when.
  size_t next_entry_ = 0;
  std::vector<entry> armed_; ///< Faults that wait for their step.
  milliseconds away_until_{0};
  milliseconds full_until_{0};
  milliseconds flush_asked_{0}; ///< When one was last told to fail.
  milliseconds store_well_since_{0};
  milliseconds commit_lost_at_{-1};
  uint64_t batches_ = 0; ///< Of this life.
  std::optional<doubt> doubt_;
  std::vector<old_copy> copies_;
  std::optional<old_copy> to_put_back_;
};

} // namespace weir::sim
