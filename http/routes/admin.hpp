#pragma once

#include "actors/house.hpp"
#include "actors/trace/control.hpp"
#include "http/exchange.hpp"

#include <functional>
#include <memory>
#include <string>

namespace weir {

/// The admin listener: who asks is told by a bearer token; the viewer's reads
/// only.
class admin_routes {
public:
  struct options {
    std::string token;
    std::string viewer_token; ///< Empty: there is none.
    /// The page for Prometheus, given the queues.
    std::function<std::string(const std::vector<queue_view>&, stored_time)>
      metrics;
    /// May be null; then there are no paths of it.
    std::shared_ptr<trace::control> trace;
    trace::recorder_options trace_defaults;
  };

  admin_routes(house& door, options settings);

  /// What to do with a request. Thread-safe.
  body_wish handle(const request_head& head);

private:
  void status(const reply& answer);
  void metrics(const reply& answer);
  void dead_letters(std::string_view query, const reply& answer);
  void dead_letter(std::string_view id, const reply& answer);
  void all_queues(
    std::function<void(expected<std::vector<queue_view>>, stored_time)> done);
  void next_queues(
    std::shared_ptr<std::vector<queue_view>> so_far, int64_t after,
    std::function<void(expected<std::vector<queue_view>>, stored_time)> done);

  house& house_;
  options options_;
};

/// `/health` (the process answers) and `/ready` (the store commits), on both
/// listeners and without a token.
body_wish health_reply();
body_wish ready_reply(house& door);

} // namespace weir
