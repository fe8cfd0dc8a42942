#pragma once

#include "actors/interfaces.hpp"
#include "actors/policy/write_batch.hpp"
#include "actors/store_probe.hpp"
#include "persistence/batch.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir {

/// What a store writer is given: its slot, and the seams it works through.
struct store_writer_config {
  std::function<expected<std::unique_ptr<store>>()> open;
  uint32_t slot = 0;
  std::string owner;
  std::function<uint64_t()> draw_run;          ///< 48 random bits.
  std::function<milliseconds()> elapsed_clock; ///< See batch_runner.
};
BOOST_DESCRIBE_STRUCT(store_writer_config, (),
                      (open, slot, owner, draw_run, elapsed_clock))

/// Collects what is asked into batches and answers after the commit. Blocks on
/// SQL, so it is spawned detached. What it holds when it dies is answered
/// `ec::unavailable` by the destructor.
class store_writer_state {
public:
  static constexpr const char* name = "store_writer";
  using self_pointer = traced_actor<store_writer_actor>*;
  static std::string trace_name(const store_writer_config& config) {
    return "store_writer/" + std::to_string(config.slot);
  }

  explicit store_writer_state(self_pointer self);
  ~store_writer_state();

  store_writer_actor::behavior_type start(store_writer_config config);

private:
  using settle_function = std::function<void(const expected<void>&)>;

  /// How one kind of request is put into a batch.
  struct shape {
    std::string key;
    size_t rows = 1;
    size_t bytes = 0;
    policy::write_priority priority = policy::write_priority::other;
    uint64_t feed_rows = 0;
  };

  template <class Reply, class Request, class Operation>
  caf::result<Reply> submit(const Request& request, const shape& in_batch,
                            Operation operation);
  void enqueue(batch_operation operation, const shape& in_batch,
               instant deadline);
  void run_batches();
  void refuse_expired();
  void run_one(const std::vector<uint64_t>& tickets);
  void settle_all(const error& why);
  bool open_runner();
  caf::result<transaction_stored> accept(const accept_transaction& request);
  caf::result<transaction_settled> settle(const settle_transaction& request);
  template <class Request, class Operation>
  caf::result<kept_changed> change_kept(const Request& request, std::string key,
                                        Operation operation);
  // What operators ask for.
  caf::result<queue_halted> command(const halt_queue& request);
  caf::result<back_off_ended> command(const end_back_off& request);
  caf::result<transaction_skipped> command(const skip_transaction& request);
  caf::result<kept_changed> command(const replay_letters& request);
  caf::result<kept_changed> command(const drop_letters& request);
  caf::result<kept_changed> command(const drop_quarantined& request);
  caf::result<removal_done> command(const remove_appservice& request);
  caf::result<stored> tidy();
  /// Whatever is asked of realms and accounts: actors/store_writer_realms.cpp.
  template <class Reply, class Request>
  caf::result<Reply> of_realm(const Request& request);

  // Parts of the table of handlers.
  auto for_operators();
  auto for_realms();

  self_pointer self_;
  store_writer_config config_;
  std::unique_ptr<store> store_;
  std::optional<batch_runner> runner_;
  policy::write_queue queue_;
  uint64_t next_ticket_ = 1;
  std::unordered_map<uint64_t, batch_operation> waiting_;
  std::vector<batch_operation> running_;
  std::optional<instant> opened_last_;
  uint64_t rows_committed_ = 0; ///< Of the batch that runs.
  bool flush_sent_ = false;
};

using store_writer
  = weir_actor<store_writer_actor, store_writer_state, store_writer_config>;

} // namespace weir
