#include "actors/homeserver_session.hpp"

#include "actors/homeserver_requests.hpp"
#include "actors/policy/retry_after.hpp"

#include <utility>

namespace weir {

namespace {

const logger log_{"session"};

} // namespace

homeserver_session_state::~homeserver_session_state() {
  for (auto& each : askers_)
    each.deliver(to_caf({ec::unavailable, "the session was restarted"}));
}

session_actor::behavior_type
homeserver_session_state::start(std::shared_ptr<const house_settings> settings,
                                std::shared_ptr<const peers> house) {
  of_ = settings->realms;
  house_ = std::move(house);
  return {
    [this](const open_session& request) { return open(request); },
    [this](const use_peers& now) { house_ = now.value; },
  };
}

/// Whoever lost an older session than the one there is takes that.
caf::result<session_opened>
homeserver_session_state::open(const open_session& request) {
  if (now_ && request.lost == now_->session) {
    now_.reset();
    was_lost_ = true;
  }
  if (now_)
    return *now_;
  auto promise
    = self_
        ->make_response_promise<caf::typed_response_promise<session_opened>>();
  askers_.push_back(promise);
  if (!under_way_)
    sign_in();
  return promise;
}

void homeserver_session_state::sign_in() {
  if (std::exchange(was_lost_, false) && !repeated_.allow(self_->now())) {
    log_.error("homeserver ends our sessions account={} action=see who logs "
               "this user out, or whether its tokens are shared",
               of_.account);
    return refused(policy::pause_effect::account_held, {}, "session_ends");
  }
  under_way_.emplace(!of_.password.empty(), !of_.device.empty());
  token_ = of_.as_token;
  next_step();
}

/// Of one lane: a session that was restarted first closes what the one before
/// had open.
void homeserver_session_state::next_step() {
  auto request = sign_in_request_to(of_, under_way_->step());
  const auto patience = patience_with(request);
  self_
    ->request(
      house_->transport, patience,
      send_http{next_http_id(), "session/" + of_.account, std::move(request)})
    .then([this](const http_answer& answer) { answered(answer); },
          [this](const caf::error&) {
            answered(unanswered(no_answer::aborted, "no answer inside"));
          });
}

void homeserver_session_state::answered(const http_answer& answer) {
  auto reply = read_sign_in_reply(of_, under_way_->step(), answer);
  if (reply.of.has_token)
    token_ = reply.token;
  under_way_->answered(reply.of);
  switch (under_way_->state()) {
  case policy::sign_in_state::asking: return next_step();
  case policy::sign_in_state::done: return signed_in();
  case policy::sign_in_state::retry:
    log_.warn("sign-in refused account={} status={} failure={} detail={}",
              of_.account, answer.status, to_string(answer.failure),
              answer.detail);
    break;
  case policy::sign_in_state::refused:
    log_.error("sign-in rejected account={} status={} errcode={} action=check "
               "homeserver.as_token or homeserver.password",
               of_.account, answer.status, reply.of.of.errcode);
    break;
  }
  refused(under_way_->effect(), policy::retry_after(answer, {}),
          policy::judge_send(reply.of.of, 0).cause);
}

void homeserver_session_state::signed_in() {
  session_opened made;
  made.session = ++sessions_;
  made.token = token_;
  if (of_.password.empty()) {
    made.user_id = of_.account;
    made.device_id = under_way_->in_device() ? of_.device : "";
  }
  log_.info("signed in account={} device={}", of_.account,
            under_way_->in_device() ? of_.device : "none");
  if (!of_.device.empty() && !under_way_->in_device())
    log_.warn("homeserver gives the appservice no device account={} "
              "action=none, but after a restart of the homeserver a send that "
              "was under way may arrive twice",
              of_.account);
  under_way_.reset();
  now_ = made;
  tell(made);
}

void homeserver_session_state::refused(policy::pause_effect effect,
                                       const std::optional<milliseconds>& asked,
                                       const std::string& cause) {
  under_way_.reset();
  session_opened none;
  none.effect = effect;
  none.asked = asked;
  none.cause = cause;
  tell(none);
}

void homeserver_session_state::tell(const session_opened& what) {
  for (auto& each : std::exchange(askers_, {}))
    each.deliver(what);
}

} // namespace weir
