#pragma once

#include "actors/interfaces.hpp"
#include "actors/outbound_http.hpp"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir {

/// Keeps the promise of one request per lane, and hands answers from the
/// network's threads to whoever asked. When it dies it gives up all that is
/// open and answers `ec::unavailable`; `start` of the next one finds nothing of
/// it.
class transport_state {
public:
  static constexpr const char* name = "transport";
  using self_pointer = traced_actor<transport_actor>*;

  explicit transport_state(self_pointer self) : self_{self} {
  }
  ~transport_state();

  transport_actor::behavior_type start(outbound_http* network);

private:
  struct open_request {
    caf::typed_response_promise<http_answer> asker;
    std::vector<caf::typed_response_promise<http_aborted>> aborters;
    std::string lane;
  };
  /// Waits for the end of many.
  struct lanes_aborter {
    std::set<uint64_t> open;
    caf::typed_response_promise<http_aborted> asker;
  };

  caf::result<http_answer> send(const send_http& request);
  caf::result<http_aborted> abort(const abort_http& request);
  caf::result<http_aborted> clear(const abort_lane& request);
  caf::result<http_aborted> clear_all(const abort_lanes& request);
  void begin(uint64_t id, http_request request);
  void done(const http_done& what);
  void next_in_lane(const std::string& lane);
  void tell_aborters(uint64_t id);

  self_pointer self_;
  outbound_http* network_ = nullptr;
  /// By id, so that all end in one order whenever a run is repeated.
  std::map<uint64_t, open_request> open_;
  /// The open request of each lane, and what waits for it to be closed.
  std::map<std::string, uint64_t> lanes_;
  std::unordered_map<std::string, send_http> waiting_;
  std::vector<lanes_aborter> aborters_;
};

using transport = weir_actor<transport_actor, transport_state, outbound_http*>;

} // namespace weir
