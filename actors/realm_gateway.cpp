#include "actors/realm_gateway.hpp"

#include "actors/policy/hold.hpp"
#include "actors/policy/realm_store_rules.hpp"
#include "actors/store_probe.hpp"
#include "schema/limits.hpp"
#include "schema/realm_limits.hpp"

#include <algorithm>

namespace weir {

namespace {

const logger log_{"realm_gateway"};

constexpr auto store_timeout
  = limits::operation_deadline + limits::operation_commit_grace;
/// A reader is bounded at 5 s a snapshot.
constexpr auto reader_timeout = std::chrono::seconds{10};
constexpr auto pace_timeout = std::chrono::seconds{2};
/// How often the log tells what is queued, if anything is (Q47).
constexpr auto health_every = std::chrono::seconds{60};
/// Tickets of its own timers.
constexpr uint64_t of_waits = 0;
constexpr uint64_t of_health = 1;

/// How many commits this process has seen: not a function of messages.
uint64_t commits_seen() {
  return trace::drawn<uint64_t>(
    [] { return uint64_t{process_store_probe().rows}; });
}

/// Whether nothing is to be waited for.
bool is_news(const realm_answer& found) {
  return !found.facts.event
    || found.facts.event->state == realm_event_state::over;
}

bool is_news(const feed_answer& found) {
  return !found.rows.empty() || found.more;
}

} // namespace

realm_gateway_state::realm_gateway_state(self_pointer self)
  : self_{self},
    waiting_{limits::realm_waits_max} {
}

realm_gateway_actor::behavior_type
realm_gateway_state::start(std::shared_ptr<const peers> house) {
  house_ = std::move(house);
  self_->arm(health_every, look_again{of_health});
  const auto wakes = [this](realm_change what) {
    return [this, what](const auto& request, const auto&) {
      wake(request.realm, what);
    };
  };
  return {
    [this](const ask_submit& what) { submit(what); },
    [this, wakes](const ask_audience& what) {
      write(what.request, what.done, milliseconds{0},
            wakes(realm_change::audience));
    },
    [this, wakes](const ask_replace& what) {
      write(what.request, what.done, milliseconds{0},
            wakes(realm_change::audience));
    },
    [this, wakes](const ask_cancel& what) {
      write(what.request, what.done, milliseconds{0},
            wakes(realm_change::cancelled));
    },
    [this, wakes](const ask_redeliver& what) {
      write(what.request, what.done, milliseconds{0},
            wakes(realm_change::redelivered));
    },
    [this, wakes](const ask_halt& what) {
      write(what.request, what.done, milliseconds{0},
            wakes(realm_change::halt));
    },
    [this](const ask_realm& what) { read(what, what.patience); },
    [this](const ask_feed& what) { read(what, what.patience); },
    [this](const ask_realms& what) { ask_once(what.request, what.done); },
    [this](const ask_pace& what) {
      if (!house_->pacer)
        return what.done.run(fail(ec::not_found, "realms are not served"));
      self_->request(house_->pacer, pace_timeout, read_pace{})
        .then([done = what.done](const pace_view& now) { done.run(now); },
              [done = what.done](const caf::error& why) {
                done.run(fail(from_caf(why)));
              });
    },
    [this](const realm_progress& what) {
      for (const auto& each : what.left)
        back_.left(what.realm, each.bytes, self_->now());
    },
    [this](const look_again& what) { look(what.ticket); },
    [this](const end_holds_now&) { end_waits(); },
    [this](const use_peers& now) { house_ = now.value; },
  };
}

void realm_gateway_state::wake(const realm_id& realm, realm_change what) {
  if (house_->realms)
    self_->send(house_->realms, wake_realm{realm, what});
}

template <class Reply, class Request, class Then>
void realm_gateway_state::write(const Request& request,
                                const callback<expected<Reply>>& done,
                                milliseconds hold, Then then) {
  const auto ticket = next_ticket_++;
  auto& mine = writes_[ticket];
  mine.hold_until = self_->now() + (draining_ ? milliseconds{0} : hold);
  mine.refuse = [done](const error& why) { done.run(fail(why)); };
  mine.attempt = [this, ticket, request, done, then] {
    try_write(ticket, request, done, then);
  };
  try_write(ticket, request, done, then);
}

template <class Reply, class Request, class Then>
void realm_gateway_state::try_write(uint64_t ticket, Request request,
                                    const callback<expected<Reply>>& done,
                                    Then then) {
  request.deadline = self_->now() + limits::operation_deadline;
  const auto& writer = house_->writer_of(request.realm);
  self_->request(writer, store_timeout, request)
    .then(
      [this, ticket, request, done, then](const Reply& reply) {
        if (writes_.erase(ticket) == 0)
          return; // It was refused at a drain.
        // Before the asker is told: a wake is idempotent.
        then(request, reply);
        done.run(reply);
      },
      [this, ticket](const caf::error& why) {
        write_failed(ticket, from_caf(why));
      });
}

/// A held event that was committed after all is recognised by its key.
void realm_gateway_state::write_failed(uint64_t ticket, const error& why) {
  const auto found = writes_.find(ticket);
  if (found == writes_.end())
    return;
  auto& mine = found->second;
  const auto pause
    = policy::hold_pause(why.code, self_->now(), mine.hold_until);
  if (pause && !draining_) {
    log_.warn("realm events held what={}", to_string(why));
    mine.failure = why;
    return self_->arm(*pause, look_again{ticket});
  }
  const auto refused = writes_.extract(ticket);
  refused.mapped().refuse(why);
}

void realm_gateway_state::submit(const ask_submit& what) {
  const callback<expected<realm_events_taken>> done{
    [this, request = what.request,
     told = what.done](const expected<realm_events_taken>& taken) {
      if (!taken)
        return told.run(fail(taken.error()));
      told.run(with_return(request, taken.value()));
    }};
  write(what.request, done, limits::realm_hold,
        [this](const submit_realm_events& request, const auto& taken) {
          // A repetition may be of a try whose answer, and wake, were lost.
          const bool any
            = std::ranges::any_of(taken.offers, [](const auto& one) {
                return one.result <= offer_result::replayed;
              });
          if (any)
            wake(request.realm, realm_change::events);
        });
}

realm_offers_answered
realm_gateway_state::with_return(const submit_realm_events& request,
                                 const realm_events_taken& taken) const {
  realm_offers_answered told{taken, {}, {}};
  const auto refused = std::ranges::find_if(taken.offers, [](const auto& one) {
    return one.result == offer_result::realm_full
      || one.result == offer_result::all_full;
  });
  if (refused == taken.offers.end())
    return told;
  const auto at = static_cast<size_t>(refused - taken.offers.begin());
  const auto bytes = policy::queued_bytes(request.offers[at].content);
  told.realm_again = back_.of_realm(request.realm, bytes, self_->now());
  told.all_again = back_.of_all(bytes, self_->now());
  return told;
}

void realm_gateway_state::read(question what, const read_patience& patience) {
  const auto ticket = next_ticket_++;
  const auto now = self_->now();
  reads_.emplace(ticket,
                 read_under_way{std::move(what),
                                policy::catch_up{now, patience.token},
                                now + patience.news, 0});
  look(ticket);
}

void realm_gateway_state::look(uint64_t ticket) {
  if (ticket == of_waits)
    return look_around();
  if (ticket == of_health)
    return tell_health();
  if (const auto held = writes_.find(ticket); held != writes_.end()) {
    const auto attempt = held->second.attempt;
    return attempt();
  }
  const auto found = reads_.find(ticket);
  if (found == reads_.end())
    return;
  // Before the look: what is committed meanwhile is news then.
  found->second.seen = commits_seen();
  if (const auto* one = std::get_if<ask_realm>(&found->second.what))
    ask_reader<ask_realm, realm_answer>(ticket, *one);
  else
    ask_reader<ask_feed, feed_answer>(ticket,
                                      std::get<ask_feed>(found->second.what));
}

template <class Ask, class Answer>
void realm_gateway_state::ask_reader(uint64_t ticket, const Ask& what) {
  const auto& reader = house_->readers[next_reader_++ % house_->readers.size()];
  self_->request(reader, reader_timeout, what.request)
    .then([this, ticket](
            const Answer& found) { answered<Ask, Answer>(ticket, found); },
          [this, ticket](const caf::error& why) {
            if (const auto mine = reads_.extract(ticket); !mine.empty())
              std::get<Ask>(mine.mapped().what).done.run(fail(from_caf(why)));
          });
}

template <class Ask, class Answer>
void realm_gateway_state::answered(uint64_t ticket, const Answer& found) {
  const auto place = reads_.find(ticket);
  if (place == reads_.end())
    return;
  auto& mine = place->second;
  const auto now = self_->now();
  const auto step = mine.token.next(found.how, now);
  if (step.what == policy::catch_up_step::kind::look)
    return self_->arm(step.at - now, look_again{ticket});
  auto told = found;
  if (step.what == policy::catch_up_step::kind::refuse)
    told.how = {step.why, {}};
  else if (!is_news(found) && now < mine.until && !draining_)
    return wait_for_news(ticket);
  const auto done = reads_.extract(ticket);
  std::get<Ask>(done.mapped().what).done.run(std::move(told));
}

void realm_gateway_state::wait_for_news(uint64_t ticket) {
  const auto& mine = reads_.at(ticket);
  if (!waiting_.join(ticket, mine.seen, mine.until)) {
    const auto refused = reads_.extract(ticket);
    return std::visit(
      [](const auto& ask) {
        ask.done.run(fail(ec::full, "as many wait as may"));
      },
      refused.mapped().what);
  }
  if (!std::exchange(looking_, true))
    self_->arm(limits::realm_wait_look, look_again{of_waits});
}

void realm_gateway_state::look_around() {
  looking_ = false;
  for (const auto ticket : waiting_.take(commits_seen(), self_->now(),
                                         limits::realm_wait_looks_max))
    look(ticket);
  if (waiting_.size() > 0 && !std::exchange(looking_, true))
    self_->arm(limits::realm_wait_look, look_again{of_waits});
}

/// A drain: who waits is told how it is now, who is held comes again.
void realm_gateway_state::end_waits() {
  draining_ = true;
  for (const auto ticket : waiting_.take_all())
    look(ticket);
  std::vector<uint64_t> held;
  for (const auto& [ticket, mine] : writes_)
    if (mine.failure)
      held.push_back(ticket);
  for (const auto ticket : held) {
    const auto refused = writes_.extract(ticket);
    refused.mapped().refuse(*refused.mapped().failure);
  }
}

/// A backlog is in the log also when nothing else happens.
void realm_gateway_state::tell_health() {
  self_->arm(health_every, look_again{of_health});
  const auto& reader = house_->readers[next_reader_++ % house_->readers.size()];
  self_->request(reader, reader_timeout, read_store_figures{})
    .then(
      [](const store_figures& now) {
        const auto& all = now.realms;
        if (all.open_events > 0)
          log_.info("realm events queued events={} kib={} oldest_ms={} "
                    "sends={} dead_letters={} paused={}",
                    all.open_events, all.open_bytes / 1'024,
                    (now.as_of - all.oldest_accepted_at).count(), all.unsettled,
                    all.dead_letters, all.halted);
      },
      [](const caf::error&) {}); // Its own lines tell of the store.
}

template <class Reply, class Request>
void realm_gateway_state::ask_once(const Request& request,
                                   const callback<expected<Reply>>& done) {
  const auto& reader = house_->readers[next_reader_++ % house_->readers.size()];
  self_->request(reader, reader_timeout, request)
    .then([done](const Reply& page) { done.run(page); },
          [done](const caf::error& why) { done.run(fail(from_caf(why))); });
}

} // namespace weir
