#include "http/routes/appservice.hpp"

#include "http/matrix_reply.hpp"
#include "schema/log.hpp"
#include "schema/transaction.hpp"

#include <algorithm>

namespace weir {

namespace {

using std::chrono::duration_cast;
using clock = std::chrono::steady_clock;

const logger log_{"listener"};

/// How long a bridge that was not there at the last try, or let the one before
/// wait in vain, is waited for (D6).
constexpr auto unreachable_wait = std::chrono::milliseconds{2'000};
/// A body that took the homeserver's patience to arrive is offered to the store
/// all the same: it is here, and a commit takes moments.
constexpr auto store_time_min = std::chrono::milliseconds{5'000};
/// How soon a request to a full queue learns that there is room.
constexpr auto room_look_pause = std::chrono::milliseconds{250};
/// Answers of bridges are passed on up to here; key queries are the largest.
constexpr size_t proxied_answer_max = size_t{16} << 20;

body_wish refused(std::atomic<uint64_t>& reason, http_response response) {
  ++reason;
  return answer_at_once(std::move(response));
}

/// What became of a body that was to be kept, in the words for each reader.
struct body_fate {
  std::atomic<uint64_t> listener_counts::*counter;
  std::string kept;   ///< For the log.
  std::string action; ///< For who reads the log.
  std::string told;   ///< For the homeserver.
};

body_fate fate_of(const expected<quarantined>& result) {
  if (!result)
    return {&listener_counts::quarantine_failed,
            "no: " + to_string(result.error()),
            "mend the store, the homeserver will repeat the body",
            "Weir could not keep it"};
  if (!result.value().kept)
    return {
      &listener_counts::quarantine_full, "not kept: quarantine is full",
      "stop what sends broken bodies, then make room with weir quarantine "
      "drop",
      "not kept, the quarantine of Weir is full"};
  return {&listener_counts::quarantined, "yes",
          "see weir quarantine list, the homeserver will repeat it",
          "kept in the quarantine of Weir"};
}

/// Null when nobody is meant or the token is wrong.
const served_appservice* find(const served_appservices& among, const route& to,
                              const credentials& given) {
  if (to.by_id) {
    const auto found = among.by_id.find(to.appservice);
    if (found == among.by_id.end())
      return nullptr;
    const auto& each = *found->second;
    return check_token(given, each.hs_token, each.query_alone) ? &each
                                                               : nullptr;
  }
  const auto index = find_by_token(given, among.tokens);
  return index ? &among.all[index.value()] : nullptr;
}

} // namespace

std::string_view advice_for(const error& why) noexcept {
  return why.code == ec::full
    ? "the homeserver keeps it and comes again; weir explain says what the "
      "queue waits for"
    : "the homeserver keeps it and comes again; mend the store";
}

accept_transaction offer_of(const served_appservice& to,
                            incoming_transaction content) {
  accept_transaction request;
  request.appservice = to.id;
  request.content = shared<incoming_transaction>{std::move(content)};
  request.bounds = to.bounds;
  request.dedupe_events = to.dedupe_events;
  return request;
}

std::shared_ptr<const served_appservices>
make_served(std::vector<served_appservice> all, bool tokens_unique) {
  auto made = std::make_shared<served_appservices>();
  made->all = std::move(all);
  made->tokens_unique = tokens_unique;
  for (const auto& each : made->all) {
    made->by_id.emplace(each.id.value, &each);
    made->tokens.push_back({each.hs_token, each.query_alone});
  }
  return made;
}

appservice_routes::appservice_routes(house& door, own_pings pings,
                                     options settings)
  : house_{door},
    pings_{std::move(pings)},
    options_{std::move(settings)},
    passed_on_{options_.passed_on},
    counts_{std::make_shared<listener_counts>()} {
}

void appservice_routes::use(std::shared_ptr<const served_appservices> now) {
  const std::lock_guard guard{mutex_};
  options_.appservices = std::move(now);
}

std::shared_ptr<const served_appservices>
appservice_routes::served_now() const {
  const std::lock_guard guard{mutex_};
  return options_.appservices;
}

body_wish appservice_routes::handle(const request_head& head) {
  const auto to = classify(head.method, head.target);
  const auto among = served_now();
  const bool known = to.kind != route_kind::unknown
    && (!to.by_id || among->by_id.contains(to.appservice))
    && (to.by_id || among->tokens_unique);
  if (!known)
    return refused(counts_->unrecognised, unrecognized());
  const auto* appservice = find(*among, to, read_credentials(head));
  if (appservice == nullptr) {
    // Whom it is for comes first: lines that differ there are no repetitions,
    // and paths are a stranger's to choose.
    log_.warn("request with a wrong token appservice={} remote={} path={}",
              to.by_id ? to.appservice : "unknown", head.remote, head.path());
    return refused(counts_->unauthorised,
                   matrix_error(403, "M_FORBIDDEN", "Bad token supplied"));
  }
  if (!to.method_fits)
    return refused(counts_->unrecognised, wrong_method(to.allow));
  const served meant{among, appservice};
  if (to.kind == route_kind::transaction)
    return transaction(meant, to, head);
  if (to.kind == route_kind::events)
    return events(meant, head);
  return pass_on(meant, to, head);
}

/// A body that goes to the store, and so waits while the queue is full.
body_wish appservice_routes::stored_body(const served& to,
                                         const request_head& head) {
  body_wish wish;
  wish.body_bytes_max = options_.body_bytes_max;
  wish.hold = options_.hold;
  if (options_.board && options_.board->is_full(to->id))
    wish.gate = [this, id = to->id, until = head.arrived + options_.hold](
                  std::function<void()> open) {
      wait_for_room(id, std::move(open), until);
    };
  return wish;
}

/// How long the store may take over what has arrived.
milliseconds appservice_routes::patience(clock::time_point arrived) const {
  const auto held = duration_cast<milliseconds>(clock::now() - arrived);
  return std::max<milliseconds>(options_.hold - held, store_time_min);
}

body_wish appservice_routes::transaction(const served& to, const route& by,
                                         const request_head& head) {
  auto wish = stored_body(to, head);
  wish.take = [this, to, txn = by.txn, arrived = head.arrived](std::string body,
                                                               reply answer) {
    take(*to, txn, arrived, std::move(body), std::move(answer));
  };
  return wish;
}

/// Looks again from time to time; after `until` the listener has answered. The
/// hint is given up then, so that the next request asks the store itself: one
/// that outlived the room it tells of would keep the homeserver out for ever.
void appservice_routes::wait_for_room(appservice_id id,
                                      std::function<void()> open,
                                      clock::time_point until) {
  if (!options_.board->is_full(id))
    return open();
  if (clock::now() >= until)
    return options_.board->set_full(id, false);
  options_.later(
    room_look_pause,
    [this, id = std::move(id), open = std::move(open), until]() mutable {
      wait_for_room(std::move(id), std::move(open), until);
    });
}

void appservice_routes::take(const served_appservice& to,
                             const std::string& txn, clock::time_point arrived,
                             std::string body, reply answer) {
  auto content = slice_transaction(body);
  if (!content)
    return refuse_body(to, txn, std::move(body), content.error(),
                       std::move(answer));
  if (!to.sends)
    return answer(json_ok());
  auto request = offer_of(to, std::move(content.value()));
  request.hs_txn_id = txn;
  house_.offer(
    std::move(request), patience(arrived),
    [counts = counts_, answer, id = to.id.value,
     txn](const expected<transaction_stored>& result) {
      if (!result) {
        ++counts->refused;
        log_.error("transaction refused appservice={} what={} action={}", id,
                   to_string(result.error()), advice_for(result.error()));
        return answer(come_again(come_again_in, "Weir cannot store this now"));
      }
      const auto& stored = result.value();
      ++counts->accepted;
      counts->events_accepted += stored.elements;
      counts->events_repeated += stored.events_repeated;
      counts->duplicates += stored.result == accept_result::duplicate;
      if (stored.result == accept_result::id_reused) {
        ++counts->ids_reused;
        log_.warn("homeserver used a transaction id again appservice={} txn={} "
                  "action=none, its content was taken as new",
                  id, txn);
      }
      answer(json_ok());
    });
}

/// The homeserver will repeat such a body for ever, and a person will want to
/// see it: what became of it is told as it is.
void appservice_routes::refuse_body(const served_appservice& to,
                                    const std::string& txn, std::string body,
                                    const error& why, reply answer) {
  ++(why.code == ec::not_json ? counts_->not_json : counts_->bad_json);
  const auto tell = [id = to.id.value, txn, why](std::string_view kept,
                                                 std::string_view action) {
    log_.error("body is no transaction appservice={} txn={} what={} kept={} "
               "action={}",
               id, txn, why.context, kept, action);
  };
  if (!to.sends) {
    tell("no: the appservice has no url",
         "look at what sends it, the homeserver will repeat it");
    return answer(error_reply(why));
  }
  house_.quarantine(
    {to.id, txn, shared_bytes{std::move(body)}, to_string(why), {}},
    [counts = counts_, answer = std::move(answer), why,
     tell](const expected<quarantined>& result) {
      const auto became = fate_of(result);
      ++((*counts).*became.counter);
      tell(became.kept, became.action);
      answer(error_reply({why.code, why.context + "; " + became.told}));
    });
}

body_wish appservice_routes::pass_on(const served& to, const route& by,
                                     const request_head& head) {
  if (!to->sends && by.kind != route_kind::ping)
    return answer_at_once(
      matrix_error(404, "M_NOT_FOUND", "This appservice has no url"));
  body_wish wish;
  wish.body_bytes_max = options_.body_bytes_max;
  // Both waits together stay below the homeserver's own (D6).
  wish.hold = std::min(options_.hold, to->link.wait);
  wish.take = [this, to, by, head](std::string body, reply answer) {
    const bool is_ping = by.kind == route_kind::ping;
    if (is_ping && pings_.is_own(to->id, body))
      return answer(json_ok());
    if (!to->sends)
      return answer(
        matrix_error(404, "M_NOT_FOUND", "This appservice has no url"));
    // Whoever asks one that hangs waits long, with a connection of ours and one
    // of the listener's: that many and no more.
    auto place = passed_on_.enter(to->id);
    if (!place) {
      ++counts_->too_many;
      log_.warn("bridge has too many unanswered requests appservice={} "
                "action=see why it does not answer",
                to->id.value);
      return answer(too_many_unanswered());
    }
    auto request = proxy_request(head, by.forward,
                                 shared_bytes{std::move(body)}, to->link);
    request.answer_bytes_max = proxied_answer_max;
    request.whole_body = true;
    ++counts_->proxied;
    forward(to, std::move(request), by.forward, is_ping, 1, clock::now(),
            [place = std::make_shared<passed_on::place>(std::move(place)),
             answer = std::move(answer)](http_response response) {
              place->reset(); // Before whoever is told asks again.
              answer(std::move(response));
            });
  };
  return wish;
}

/// Shortens the time of a request to a bridge that is known to be away, or that
/// does not answer. Returns whether it is the latter.
bool appservice_routes::wait_less(const served& to,
                                  http_request& request) const {
  auto& limits = request.deadlines;
  const auto shorten = [](milliseconds& time) {
    time = std::min(time, milliseconds{unreachable_wait});
  };
  if (options_.board && options_.board->is_unreachable(to->id))
    shorten(limits.connect);
  const bool silent = passed_on_.is_silent(to->id, clock::now());
  if (silent)
    shorten(limits.answer);
  return silent;
}

void appservice_routes::note_answer(const served& to, const http_answer& got,
                                    bool waited_less) {
  if (got.failure == no_answer::none)
    passed_on_.answered(to->id);
  else if (got.failure == no_answer::answer_timeout && !waited_less)
    passed_on_.waited_in_vain(to->id, clock::now());
}

void appservice_routes::forward(const served& to, http_request request,
                                std::string target, bool is_ping,
                                uint32_t attempts, clock::time_point begun,
                                reply answer) {
  auto sent = request;
  const bool waits_less = wait_less(to, sent);
  house_.request(
    std::move(sent),
    [this, to, request = std::move(request), target = std::move(target),
     is_ping, attempts, begun, waits_less,
     answer](const http_answer& got) mutable {
      note_answer(to, got, waits_less);
      const auto elapsed = duration_cast<milliseconds>(clock::now() - begun);
      if (may_retry(target, got, attempts, elapsed)) {
        options_.later(proxy_retry_pause, [=, this]() mutable {
          forward(to, std::move(request), std::move(target), is_ping,
                  attempts + 1, begun, std::move(answer));
        });
        return;
      }
      if (got.failure != no_answer::none) {
        ++counts_->unreachable;
        log_.warn("bridge did not answer a request appservice={} failure={} "
                  "detail={}",
                  to->id.value, to_string(got.failure), got.detail);
      }
      if (is_ping && got.status >= 200 && got.status < 300)
        house_.alive(to->id);
      answer(proxy_response(got));
    });
}

} // namespace weir
