#include "actors/appservice_requests.hpp"

#include "schema/config_values.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <chrono>

namespace weir {

namespace {

using std::chrono::duration_cast;

/// A bridge that is alive answers a ping at once.
constexpr http_deadlines ping_deadlines{
  milliseconds{5'000}, milliseconds{10'000}, milliseconds{5'000}};

http_request request_to(const queue_settings& to, std::string method,
                        std::string target) {
  http_request request;
  request.method = std::move(method);
  request.peer = to.peer;
  request.target = std::move(target);
  if (to.query_token)
    request.target += "?access_token=" + encode_path_segment(to.hs_token);
  request.fields = {{"Authorization", "Bearer " + to.hs_token},
                    {"Content-Type", "application/json"},
                    {"Accept", "application/json"},
                    {"User-Agent", "Weir"}};
  request.deadlines = to.deadlines;
  return request;
}

} // namespace

http_request transaction_request_to(const queue_settings& to,
                                    const owed_transaction& what,
                                    bool legacy_path) {
  // The id is made of letters, digits and '-' only: nothing to escape.
  const std::string_view prefix = legacy_path ? "" : "/_matrix/app/v1";
  auto request = request_to(
    to, "PUT", fmt::format("{}/transactions/{}", prefix, what.id.value));
  request.body = what.body;
  return request;
}

http_request ping_request_to(const queue_settings& to) {
  auto request = request_to(to, "POST", "/_matrix/app/v1/ping");
  request.body = shared_bytes{std::string{"{}"}};
  request.deadlines = ping_deadlines;
  return request;
}

bool shows_life(const http_answer& answer) noexcept {
  return answer.failure == no_answer::none && answer.status >= 200
    && answer.status < 500;
}

bool never_connected(const http_answer& answer) noexcept {
  switch (answer.failure) {
  case no_answer::name:
  case no_answer::refused:
  case no_answer::tls:
  case no_answer::connect_timeout: return true;
  default: return false;
  }
}

publish_status status_of(const appservice_id& id,
                         const policy::delivery& delivery, instant now) {
  publish_status status;
  status.queue = "appservice/" + id.value;
  status.state = policy::to_string(delivery.state());
  status.cause = delivery.cause();
  status.in_state = duration_cast<milliseconds>(now - delivery.since());
  if (delivery.state() != policy::delivery_state::flowing
      && delivery.ready_at() > now)
    status.next_in = duration_cast<milliseconds>(delivery.ready_at() - now);
  status.last_error = delivery.last_error();
  if (!status.last_error.empty())
    status.since_error
      = duration_cast<milliseconds>(now - delivery.last_error_at());
  status.last_error_text = delivery.last_error_text();
  status.attempts = delivery.attempts();
  status.subject = delivery.subject();
  return status;
}

std::string summary_of(const publish_status& status) {
  const auto slow = status.sending.count() > 0 ? "/sending" : "";
  if (status.state == "flowing")
    return "flowing/" + status.last_error + slow;
  return fmt::format("{}/{}/{}{}", status.state, status.cause, status.attempts,
                     slow);
}

void tell_refusal(const logger& log, const appservice_id& id,
                  const owed_transaction& what,
                  const policy::delivery& delivery,
                  const policy::verdict& verdict, const http_answer& answer,
                  instant now) {
  // One that is split or settled by its refusal has no time to wait for.
  const auto retry_in
    = duration_cast<milliseconds>(std::max(delivery.ready_at(), now) - now)
        .count();
  switch (verdict.kind) {
  case policy::verdict_kind::misconfigured_token:
    log.error("bridge refuses our token dest={} status={} retry_in_ms={} "
              "action=compare hs_token in the registration with the bridge's",
              id.value, answer.status, retry_in);
    break;
  case policy::verdict_kind::misconfigured_path:
    log.error("bridge does not know the path dest={} status={} "
              "retry_in_ms={} action=check url in the registration",
              id.value, answer.status, retry_in);
    break;
  default:
    log.warn("push refused dest={} txn={} cause={} attempts={} "
             "retry_in_ms={} detail={}",
             id.value, what.id.value, verdict.cause, delivery.attempts(),
             retry_in, answer.detail);
  }
}

void tell_blocked(const logger& log, const appservice_id& id,
                  const owed_transaction& what,
                  const policy::delivery& delivery) {
  if (delivery.state() == policy::delivery_state::blocked)
    log.error("queue is blocked dest={} txn={} seq={} cause={} action=mend the "
              "bridge or let it pass with poison: dead_letter, see "
              "docs/operations.md",
              id.value, what.id.value, what.first_seq, delivery.cause());
}

void tell_settled(const logger& log, const appservice_id& id,
                  const owed_transaction& what,
                  const policy::delivery& delivery, settlement how) {
  switch (how) {
  case settlement::delivered:
    log.debug("delivered dest={} txn={} events={}", id.value, what.id.value,
              what.events);
    break;
  case settlement::bisected:
    log.warn("transaction bisected dest={} txn={} elements={} cause={}",
             id.value, what.id.value, what.elements, delivery.cause());
    break;
  case settlement::split:
    log.warn("transaction split dest={} txn={} bytes={} cause={}", id.value,
             what.id.value, what.body.size(), delivery.cause());
    break;
  case settlement::dead_letter:
    log.error("dead letter kept dest={} txn={} seq={} cause={} action=see "
              "weir dead-letters",
              id.value, what.id.value, what.first_seq, delivery.cause());
    break;
  }
}

} // namespace weir
