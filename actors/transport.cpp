#include "actors/transport.hpp"

#include "actors/stop_points.hpp"

namespace weir {

transport_state::~transport_state() {
  for (auto& [id, request] : open_) {
    trace::note_http_abort(id);
    network_->abort(id);
    request.asker.deliver(
      to_caf({ec::unavailable, "the transport was restarted"}));
    for (auto& aborter : request.aborters)
      aborter.deliver(http_aborted{});
  }
  for (auto& waiting : aborters_)
    waiting.asker.deliver(http_aborted{});
}

transport_actor::behavior_type transport_state::start(outbound_http* network) {
  network_ = network;
  return {
    [this](const send_http& request) { return send(request); },
    [this](const abort_http& request) { return abort(request); },
    [this](const abort_lane& request) { return clear(request); },
    [this](const abort_lanes& request) { return clear_all(request); },
    [this](const http_done& what) { done(what); },
  };
}

caf::result<http_answer> transport_state::send(const send_http& request) {
  auto promise
    = self_->make_response_promise<caf::typed_response_promise<http_answer>>();
  open_[request.id] = {promise, {}, request.lane};
  const auto busy
    = request.lane.empty() ? lanes_.end() : lanes_.find(request.lane);
  if (busy == lanes_.end()) {
    begin(request.id, request.request);
    if (!request.lane.empty()) { // A transaction; pings have none.
      lanes_[request.lane] = request.id;
      stop_point("after_send");
    }
    return promise;
  }
  // Whoever asked for the open one is gone: close it, then start.
  if (auto older = waiting_.find(request.lane); older != waiting_.end()) {
    const auto id = older->second.id;
    older->second = request;
    done({id, unanswered(no_answer::aborted, "replaced by a newer request")});
    return promise;
  }
  waiting_[request.lane] = request;
  trace::note_http_abort(busy->second);
  network_->abort(busy->second);
  return promise;
}

void transport_state::begin(uint64_t id, http_request request) {
  trace::note_http(id, request);
  network_->send(
    id, std::move(request),
    [id, to = caf::actor_cast<transport_actor>(self_)](http_answer answer) {
      caf::anon_send(to, http_done{id, std::move(answer)});
    });
}

void transport_state::done(const http_done& what) {
  auto found = open_.extract(what.id);
  if (found.empty())
    return;
  auto& request = found.mapped();
  request.asker.deliver(what.answer);
  for (auto& aborter : request.aborters)
    aborter.deliver(http_aborted{});
  tell_aborters(what.id);
  const auto lane = lanes_.find(request.lane);
  if (lane != lanes_.end() && lane->second == what.id) {
    lanes_.erase(lane);
    next_in_lane(request.lane);
  }
}

void transport_state::next_in_lane(const std::string& lane) {
  auto next = waiting_.extract(lane);
  if (next.empty())
    return;
  lanes_[lane] = next.mapped().id;
  begin(next.mapped().id, std::move(next.mapped().request));
  stop_point("after_send");
}

} // namespace weir
