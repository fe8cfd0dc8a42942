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

} // namespace weir
