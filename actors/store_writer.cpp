#include "actors/store_writer.hpp"

#include "actors/operations/accept.hpp"
#include "actors/operations/control.hpp"
#include "actors/operations/housekeeping.hpp"
#include "actors/operations/letters.hpp"
#include "actors/operations/quarantine.hpp"
#include "actors/operations/removal.hpp"
#include "actors/operations/settle.hpp"
#include "actors/stop_points.hpp"
#include "actors/store_writer_submit.hpp"

#include <chrono>
#include <tuple>

namespace weir {

namespace {

const logger log_{"store"};

/// A database that is away is not asked more often than this.
constexpr auto reopen_pause = std::chrono::milliseconds{500};
/// Pages that one tidying gives back at most: some milliseconds of work.
constexpr size_t tidy_pages_max = 2'000;
/// The elements of a transaction, as dead letters.
constexpr size_t skip_rows = limits::transaction_events_max
  + limits::transaction_ephemeral_max + limits::transaction_to_device_max;
/// Bodies are no queue's, and come and go one operation after the other.
constexpr auto quarantine_key = "quarantine";

std::string key_of(const appservice_id& id) {
  return "appservice/" + id.value;
}

std::string key_of(const forget_old& request) {
  return request.appservice ? key_of(*request.appservice) : "outcomes";
}

} // namespace

store_writer_state::store_writer_state(self_pointer self) : self_{self} {
}

store_writer_state::~store_writer_state() {
  process_store_probe().writable = false;
  settle_all({ec::unavailable, "the store writer was restarted"});
}

void store_writer_state::enqueue(batch_operation operation,
                                 const shape& in_batch, instant deadline) {
  const auto ticket = next_ticket_++;
  queue_.push({ticket, in_batch.key, in_batch.rows, in_batch.bytes,
               in_batch.priority, deadline});
  waiting_.emplace(ticket, std::move(operation));
  if (std::exchange(flush_sent_, true))
    return;
  // Lands behind all that is queued already: that is the batch.
  self_->send(caf::actor_cast<store_writer_actor>(self_), flush{});
}

void store_writer_state::run_batches() {
  flush_sent_ = false;
  refuse_expired();
  const auto tickets = queue_.take_batch();
  if (tickets.empty())
    return;
  run_one(tickets);
  if (queue_.size() > 0 && !std::exchange(flush_sent_, true))
    self_->send(caf::actor_cast<store_writer_actor>(self_), flush{});
}

void store_writer_state::refuse_expired() {
  for (const auto ticket : queue_.take_expired(self_->now())) {
    auto late = waiting_.extract(ticket);
    ++process_store_probe().expired_operations;
    late.mapped().settle(fail(ec::expired, "the store writer is behind"));
  }
}

void store_writer_state::run_one(const std::vector<uint64_t>& tickets) {
  running_.clear();
  for (const auto ticket : tickets)
    running_.push_back(std::move(waiting_.extract(ticket).mapped()));
  auto& probe = process_store_probe();
  probe.operations += running_.size();
  if (!runner_ && !open_runner()) {
    for (auto& operation : running_)
      operation.settle(fail(ec::unavailable, "the database is out of reach"));
    running_.clear();
    return;
  }
  stop_point("writer_throw");
  rows_committed_ = 0;
  const auto begun = self_->clock_now();
  const auto done = runner_->run(running_);
  const auto took = self_->clock_now() - begun;
  if (!done)
    for (auto& operation : running_) // Those that have no answer yet.
      operation.settle(fail(ec::unavailable, "the batch was given up"));
  running_.clear();
  probe.writable = done.has_value();
  if (!done) {
    ++probe.failed_batches;
    log_.warn("batch failed code={} what={}", to_string(done.error().code),
              done.error().context);
    if (done.error().code == ec::superseded)
      self_->quit(to_caf(done.error())); // The supervisor starts anew.
    return;
  }
  ++probe.commits;
  probe.commit_rows.observe(static_cast<double>(rows_committed_));
  probe.commit_seconds.observe(std::chrono::duration<double>{took}.count());
  probe.position = runner_->lease().pos;
}

void store_writer_state::settle_all(const error& why) {
  for (auto& operation : running_)
    operation.settle(fail(why));
  for (auto& [ticket, operation] : waiting_)
    operation.settle(fail(why));
  running_.clear();
  waiting_.clear();
}

bool store_writer_state::open_runner() {
  const auto now = self_->now();
  if (opened_last_ && now - *opened_last_ < reopen_pause)
    return false;
  opened_last_ = now;
  auto opened = trace::open_traced_store(config_.open);
  if (!opened) {
    log_.error("store cannot be opened what={}", to_string(opened.error()));
    return false;
  }
  store_ = std::move(opened.value());
  const auto run
    = trace::drawn<uint64_t>([this] { return config_.draw_run(); });
  auto lease = store_->take_slot(config_.slot, config_.owner, run);
  if (!lease) {
    log_.error("slot cannot be taken slot={} what={}", config_.slot,
               to_string(lease.error()));
    store_.reset();
    return false;
  }
  runner_.emplace(*store_, lease.value());
  runner_->elapsed_clock = [clock = config_.elapsed_clock] {
    return trace::drawn<milliseconds>(clock);
  };
  runner_->on_clock_jump = [](milliseconds by) {
    ++process_store_probe().clock_jumps;
    log_.error("database clock jumped by_ms={} action=absorbed in "
               "meta.clock_offset, see docs/operations.md",
               by.count());
  };
  runner_->on_in_doubt = [](bool committed) {
    ++process_store_probe().in_doubt_commits;
    log_.warn("commit was in doubt committed={}", committed);
  };
  log_.info("slot taken slot={} epoch={} run={:012x} position={}",
            lease.value().slot, lease.value().epoch, lease.value().run,
            lease.value().pos);
  return true;
}

caf::result<stored> store_writer_state::tidy() {
  if (!store_)
    return to_caf({ec::unavailable, "the database is out of reach"});
  if (auto done = store_->tidy(tidy_pages_max); !done)
    return to_caf(done.error());
  return stored{};
}

caf::result<transaction_stored>
store_writer_state::accept(const accept_transaction& request) {
  const auto& content = *request.content;
  size_t bytes = 0;
  for (const auto& item : content.elements)
    bytes += item.bytes.size();
  return submit<transaction_stored>(
    request,
    {key_of(request.appservice),
     content.elements.size() + 2 + content.orderings.size(), bytes,
     policy::write_priority::accept},
    content.orderings.empty() ? operations::accept : operations::submit);
}

caf::result<transaction_settled>
store_writer_state::settle(const settle_transaction& request) {
  return submit<transaction_settled>(
    request,
    {key_of(request.appservice), 1, 0, policy::write_priority::acknowledge, 1},
    operations::settle);
}

template <class Request, class Operation>
caf::result<kept_changed>
store_writer_state::change_kept(const Request& request, std::string key,
                                Operation operation) {
  return submit<kept_changed>(
    request,
    {std::move(key), 2 * limits::kept_changed_max,
     limits::kept_changed_bytes_max},
    [operation](store& db, batch_context& batch, const Request& what) {
      auto done = operation(db, batch, what);
      stop_point("before_kept_commit");
      return done;
    });
}

caf::result<queue_halted>
store_writer_state::command(const halt_queue& request) {
  stop_point("before_command");
  return submit<queue_halted>(request, {key_of(request.appservice), 2},
                              operations::set_halt);
}

caf::result<back_off_ended>
store_writer_state::command(const end_back_off& request) {
  stop_point("before_command");
  return submit<back_off_ended>(request, {key_of(request.appservice), 2},
                                operations::end_stored_back_off);
}

caf::result<transaction_skipped>
store_writer_state::command(const skip_transaction& request) {
  stop_point("before_command");
  return submit<transaction_skipped>(request,
                                     {key_of(request.appservice), skip_rows, 0,
                                      policy::write_priority::acknowledge, 1},
                                     operations::skip);
}

caf::result<kept_changed>
store_writer_state::command(const replay_letters& request) {
  return change_kept(request, key_of(request.appservice), operations::replay);
}

caf::result<kept_changed>
store_writer_state::command(const drop_letters& request) {
  return change_kept(request, key_of(request.appservice), operations::drop);
}

caf::result<kept_changed>
store_writer_state::command(const drop_quarantined& request) {
  return change_kept(request, quarantine_key, operations::drop_bodies);
}

caf::result<removal_done>
store_writer_state::command(const remove_appservice& request) {
  stop_point("before_removal");
  return submit<removal_done>(
    request, {key_of(request.appservice), limits::remove_rows_max},
    operations::remove);
}

/// What operators have done, and what is removed.
auto store_writer_state::for_operators() {
  return std::tuple{
    [this](const halt_queue& request) { return command(request); },
    [this](const end_back_off& request) { return command(request); },
    [this](const skip_transaction& request) { return command(request); },
    [this](const replay_letters& request) { return command(request); },
    [this](const drop_letters& request) { return command(request); },
    [this](const drop_quarantined& request) { return command(request); },
    [this](const list_held& request) {
      return submit<held_page>(request, {"held"}, operations::held);
    },
    [this](const note_removed& request) {
      return submit<stored>(request, {"adopt", request.appservices.size()},
                            operations::note);
    },
    [this](const remove_appservice& request) { return command(request); },
    [this](const continue_removals& request) {
      return submit<removal_done>(request, {"removal", limits::remove_rows_max},
                                  operations::remove_next);
    }};
}

/// See actors/store_writer_realms.cpp.
auto store_writer_state::for_realms() {
  return std::tuple{
    [this](const submit_realm_events& request) {
      return of_realm<realm_events_taken>(request);
    },
    [this](const change_realm_audience& request) {
      return of_realm<realm_audience_changed>(request);
    },
    [this](const replace_realm_audience& request) {
      return of_realm<realm_audience_changed>(request);
    },
    [this](const cancel_realm_event& request) {
      return of_realm<realm_event_cancelled>(request);
    },
    [this](const redeliver_realm_event& request) {
      return of_realm<realm_event_redelivered>(request);
    },
    [this](const halt_realm& request) {
      return of_realm<realm_halted>(request);
    },
    [this](const delete_realm& request) {
      return of_realm<realm_deleted>(request);
    },
    [this](const load_realm& request) {
      return of_realm<realm_loaded>(request);
    },
    [this](const list_realms& request) {
      return of_realm<realm_page>(request);
    },
    [this](const bind_realm_event& request) {
      return of_realm<realm_bound>(request);
    },
    [this](const work_realm& request) {
      return of_realm<realm_worked>(request);
    },
    [this](const expire_realm& request) {
      return of_realm<realm_expired>(request);
    },
    [this](const drop_realm_lossy& request) {
      return of_realm<realm_dropped>(request);
    },
    [this](const forget_realm& request) {
      return of_realm<realm_forgotten>(request);
    },
    [this](const store_account_pause& request) {
      return of_realm<stored>(request);
    },
    [this](const hold_account& request) { return of_realm<stored>(request); },
    [this](const load_account& request) {
      return of_realm<account_loaded>(request);
    }};
}

store_writer_actor::behavior_type
store_writer_state::start(store_writer_config config) {
  config_ = std::move(config);
  const auto table
    = [this](auto... others) -> store_writer_actor::behavior_type {
    return {
      [this](const accept_transaction& request) { return accept(request); },
      [this](const load_queue& request) {
        return submit<queue_loaded>(request, {key_of(request.appservice)},
                                    operations::load);
      },
      [this](const settle_transaction& request) { return settle(request); },
      [this](const store_pause& request) {
        return submit<stored>(request, {key_of(request.appservice)},
                              operations::pause);
      },
      [this](const publish_status& request) {
        return submit<stored>(request, {"status/" + request.queue},
                              operations::publish);
      },
      [this](const quarantine_body& request) {
        return submit<quarantined>(request,
                                   {quarantine_key, 1, request.body.size()},
                                   operations::quarantine);
      },
      [this](const adopt_queues& request) {
        return submit<stored>(request, {"adopt", request.appservices.size()},
                              operations::adopt);
      },
      [this](const beat_slot& request) {
        return submit<stored>(request, {"beat"}, operations::beat);
      },
      [this](const forget_old& request) {
        return submit<forgotten>(request, {key_of(request)},
                                 operations::forget);
      },
      [this](const tidy_store&) { return tidy(); },
      [this](const list_owed& request) {
        return submit<owed_page>(request, {"owed"}, operations::owed);
      },
      [this](const flush&) { run_batches(); },
      std::move(others)...,
    };
  };
  return std::apply(table, std::tuple_cat(for_operators(), for_realms()));
}

} // namespace weir
