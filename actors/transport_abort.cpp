#include "actors/transport.hpp"

// How requests are given up.
namespace weir {

caf::result<http_aborted> transport_state::abort(const abort_http& request) {
  const auto found = open_.find(request.id);
  if (found == open_.end())
    return http_aborted{};
  const auto next = waiting_.find(found->second.lane);
  if (next != waiting_.end() && next->second.id == request.id) {
    waiting_.erase(next); // The network does not know of it yet.
    done({request.id, unanswered(no_answer::aborted, "given up unsent")});
    return http_aborted{};
  }
  auto promise
    = self_->make_response_promise<caf::typed_response_promise<http_aborted>>();
  found->second.aborters.push_back(promise);
  trace::note_http_abort(request.id);
  network_->abort(request.id);
  return promise;
}

caf::result<http_aborted> transport_state::clear(const abort_lane& request) {
  const auto open = lanes_.find(request.lane);
  if (open == lanes_.end())
    return http_aborted{};
  const auto id = open->second;
  if (auto next = waiting_.extract(request.lane))
    done({next.mapped().id, unanswered(no_answer::aborted, "given up unsent")});
  return abort({id});
}

/// What waits in a lane is given up before what is open there, or it would
/// start.
caf::result<http_aborted>
transport_state::clear_all(const abort_lanes& request) {
  auto lane = lanes_.lower_bound(request.prefix);
  lanes_aborter mine;
  for (; lane != lanes_.end() && lane->first.starts_with(request.prefix);
       ++lane) {
    if (auto next = waiting_.extract(lane->first))
      done(
        {next.mapped().id, unanswered(no_answer::aborted, "given up unsent")});
    mine.open.insert(lane->second);
  }
  if (mine.open.empty())
    return http_aborted{};
  const auto open = mine.open;
  mine.asker
    = self_->make_response_promise<caf::typed_response_promise<http_aborted>>();
  const auto promise = mine.asker;
  aborters_.push_back(std::move(mine));
  for (const auto id : open) {
    trace::note_http_abort(id);
    network_->abort(id);
  }
  return promise;
}

void transport_state::tell_aborters(uint64_t id) {
  for (auto& waiting : aborters_)
    if (waiting.open.erase(id) > 0 && waiting.open.empty())
      waiting.asker.deliver(http_aborted{});
  std::erase_if(aborters_, [](const auto& each) { return each.open.empty(); });
}

} // namespace weir
