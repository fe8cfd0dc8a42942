#include "actors/gateway.hpp"

#include "actors/bounds_log.hpp"
#include "actors/policy/hold.hpp"

namespace weir {

namespace {

const logger log_{"gateway"};

constexpr auto store_timeout
  = limits::operation_deadline + limits::operation_commit_grace;
/// A batch that takes longer than a statement may is of a database that is away
/// (limits::batch_statement_timeout); a stop does not wait longer for it.
constexpr auto drain_patience = limits::batch_statement_timeout;
/// A page for a person: a reader is bounded at 5 s a snapshot.
constexpr auto reader_timeout = std::chrono::seconds{10};
/// How long one commit stands for all who ask.
constexpr auto ready_holds = std::chrono::milliseconds{500};
/// A store that takes longer than this for nothing is not ready.
constexpr auto ready_timeout = std::chrono::seconds{3};

} // namespace

gateway_actor::behavior_type
gateway_state::start(std::shared_ptr<const peers> house) {
  house_ = std::move(house);
  return {
    [this](const offer_transaction& what) { offer(what); },
    [this](const offer_quarantine& what) { keep_body(what); },
    [this](const retry_offer& again) { try_offer(again.ticket); },
    [this](const end_holds_now& which) { end_holds(which); },
    [this](const ask_queues& what) { ask_reader(what.request, what.done); },
    [this](const ask_dead_letters& what) {
      ask_reader(what.request, what.done);
    },
    [this](const ask_dead_letter& what) {
      ask_reader(what.request, what.done);
    },
    [this](const ask_queue& what) { ask_reader(what.request, what.done); },
    [this](const ask_commands& what) { ask_reader(what.request, what.done); },
    [this](const ask_store_figures& what) {
      ask_reader(what.request, what.done);
    },
    [this](const give_command& what) { self_->send(house_->directory, what); },
    [this](const ask_replay& what) { replay(what); },
    [this](const ask_drop& what) {
      ask_writer<kept_changed>(what.request, what.done, [](const auto&) {});
    },
    [this](const ask_quarantine& what) { ask_reader(what.request, what.done); },
    [this](const ask_quarantined& what) {
      ask_reader(what.request, what.done);
    },
    [this](const ask_drop_quarantined& what) {
      ask_writer<kept_changed>(what.request, what.done, [](const auto&) {});
    },
    [this](const ask_export& what) { ask_reader(what.request, what.done); },
    [this](const ask_removal& what) {
      ask_writer<removal_done>(what.request, what.done, [](const auto&) {});
    },
    [this](const ask_http& what) { ask_network(what); },
    [this](const ask_ready& what) { check_ready(what); },
    [this](const bridge_alive& what) { self_->send(house_->directory, what); },
    [this](const use_peers& now) { house_ = now.value; },
  };
}

void gateway_state::offer(const offer_transaction& what) {
  const auto ticket = next_ticket_++;
  auto& mine = offers_[ticket].what;
  mine = what;
  if (draining_)
    mine.hold_until = std::min(mine.hold_until, self_->now() + drain_patience);
  try_offer(ticket);
}

void gateway_state::try_offer(uint64_t ticket) {
  const auto found = offers_.find(ticket);
  if (found == offers_.end())
    return;
  const auto& mine = found->second.what;
  auto request = mine.request;
  request.deadline
    = std::min(self_->now() + limits::operation_deadline, mine.hold_until);
  const auto& writer = house_->writer_of(request.appservice);
  // A writer that is stuck must not hold the homeserver beyond its patience.
  const auto rest = std::chrono::ceil<milliseconds>(
    std::max(mine.hold_until - self_->now(), instant::duration{0}));
  const auto timeout = std::min<milliseconds>(store_timeout, rest);
  self_->request(writer, timeout, std::move(request))
    .then(
      [this, ticket,
       id = mine.request.appservice](const transaction_stored& result) {
        tell_bounds(log_, id, result.bounds);
        offer_stored(ticket, result);
      },
      [this, ticket](const caf::error& why) {
        offer_failed(ticket, from_caf(why));
      });
}

void gateway_state::offer_stored(uint64_t ticket,
                                 const transaction_stored& result) {
  if (result.result == accept_result::full)
    return offer_full(ticket);
  const auto mine = offers_.extract(ticket);
  if (mine.empty())
    return;
  const auto& what = mine.mapped().what;
  // A repetition may be of a try whose answer, and wake, were lost.
  if (result.elements > 0 || result.result != accept_result::stored)
    self_->send(house_->directory,
                wake_queue{what.request.appservice, result.pinned});
  what.done.run(result);
}

/// The homeserver waits: it has nobody else to give this to.
void gateway_state::offer_full(uint64_t ticket) {
  const auto found = offers_.find(ticket);
  if (found != offers_.end() && house_->board)
    house_->board->set_full(found->second.what.request.appservice, true);
  offer_failed(ticket, {ec::full, "the queue is at its bound"});
}

/// A repeated try is safe: if the first was committed after all, the second is
/// recognised as the same transaction.
void gateway_state::offer_failed(uint64_t ticket, const error& why) {
  const auto found = offers_.find(ticket);
  if (found == offers_.end())
    return;
  auto& mine = found->second;
  const auto until = draining_ ? self_->now() : mine.what.hold_until;
  const auto pause = policy::hold_pause(why.code, self_->now(), until);
  if (pause) {
    log_.warn("transaction held appservice={} what={}",
              mine.what.request.appservice.value, to_string(why));
    mine.failure = why;
    mine.held = held_mark{house_->board};
    self_->arm(*pause, retry_offer{ticket});
    return;
  }
  const auto refused = offers_.extract(ticket);
  refused.mapped().what.done.run(fail(why));
}

/// The homeserver comes again, after the restart. A try that is under way may
/// be committed all the same; the repetition is recognised then.
void gateway_state::end_holds(const end_holds_now& which) {
  if (!std::exchange(draining_, true))
    self_->arm(drain_patience, end_holds_now{true});
  for (auto& [ticket, mine] : std::exchange(offers_, {})) {
    if (mine.failure || which.all)
      mine.what.done.run(fail(mine.failure.value_or(
        error{ec::unavailable, "the store did not answer before the stop"})));
    else
      offers_.emplace(ticket, std::move(mine));
  }
}

void gateway_state::keep_body(const offer_quarantine& what) {
  self_
    ->request(house_->writer_of(what.request.appservice), store_timeout,
              what.request)
    .then([done = what.done](const quarantined& result) { done.run(result); },
          [done = what.done](const caf::error& why) {
            done.run(fail(from_caf(why)));
          });
}

template <class Reply, class Request>
void gateway_state::ask_reader(const Request& request,
                               const callback<expected<Reply>>& done) {
  const auto& reader = house_->readers[next_reader_++ % house_->readers.size()];
  self_->request(reader, reader_timeout, request)
    .then([done](const Reply& page) { done.run(page); },
          [done](const caf::error& why) { done.run(fail(from_caf(why))); });
}

template <class Reply, class Request, class Then>
void gateway_state::ask_writer(Request request,
                               const callback<expected<Reply>>& done,
                               Then then) {
  request.deadline = self_->now() + limits::operation_deadline;
  const auto& writer = house_->writer_of(request.appservice);
  self_->request(writer, store_timeout, std::move(request))
    .then(
      [done, then](const Reply& reply) {
        then(reply);
        done.run(reply);
      },
      [done](const caf::error& why) { done.run(fail(from_caf(why))); });
}

/// The wake is sent before the operator is told, and whatever was done: it is
/// idempotent.
void gateway_state::replay(const ask_replay& what) {
  ask_writer<kept_changed>(
    what.request, what.done,
    [this, id = what.request.appservice](const kept_changed& reply) {
      tell_bounds(log_, id, reply.bounds);
      self_->send(house_->directory, wake_queue{id, reply.pinned});
    });
}

void gateway_state::ask_network(const ask_http& what) {
  const auto& limits = what.request.deadlines;
  const auto timeout
    = limits.connect + limits.answer + limits.body + std::chrono::seconds{10};
  self_
    ->request(house_->transport, timeout,
              send_http{next_http_id(), {}, what.request})
    .then([done = what.done](const http_answer& answer) { done.run(answer); },
          [done = what.done](const caf::error&) {
            done.run(
              unanswered(no_answer::aborted, "the transport was restarted"));
          });
}

void gateway_state::check_ready(const ask_ready& what) {
  // Anybody may ask, and each answer costs a commit.
  if (ready_at_ && self_->now() - *ready_at_ < ready_holds)
    return what.done.run(stored{});
  self_
    ->request(house_->writers.front(), ready_timeout,
              beat_slot{self_->now() + ready_timeout})
    .then(
      [this, done = what.done](const stored& yes) {
        ready_at_ = self_->now();
        done.run(yes);
      },
      [done = what.done](const caf::error& why) {
        done.run(fail(from_caf(why)));
      });
}

} // namespace weir
