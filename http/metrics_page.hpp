#pragma once

#include "actors/trace/control.hpp"
#include "http/routes/appservice.hpp"
#include "http/routes/realms.hpp"
#include "http/routes/scrape.hpp"
#include "http/server.hpp"

#include <cstddef>
#include <string>

namespace weir {

/// What the process itself knows at one moment.
struct process_figures {
  http_server::figures listener;
  http_server::figures admin;
  uint64_t bridge_connections = 0;
  uint64_t bridge_connections_idle = 0;
  uint64_t bridge_requests = 0; ///< In flight.
  size_t actor_threads = 0;
  trace::control_status trace;
  uint64_t held_for_store = 0; ///< Transactions that were read and wait.
  uint64_t database_bytes = 0; ///< Of SQLite's file,
  uint64_t log_bytes = 0;      ///< and of its log.
  uint64_t admin_unauthorised = 0;
  uint64_t appservices = 0;                   ///< Configured.
  bool reload_refused = false;                ///< The last one changed nothing.
  const producer_counts* producers = nullptr; ///< Null: nobody was served.
};

/// The page that Prometheus reads. With many appservices it is of megabytes and
/// takes a while: not for a thread that others wait for.
std::string metrics_page(const stored_figures& stored,
                         const listener_counts& counts,
                         const process_figures& process);

} // namespace weir
