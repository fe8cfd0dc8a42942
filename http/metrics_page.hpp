#pragma once

#include "actors/trace/control.hpp"
#include "http/routes/appservice.hpp"
#include "http/server.hpp"
#include "persistence/store.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace weir {

/// What the process itself knows at one moment.
struct process_figures {
  http_server::figures listener;
  http_server::figures admin;
  uint64_t bridge_connections = 0;
  uint64_t bridge_connections_idle = 0;
  size_t actor_threads = 0;
  trace::control_status trace;
  uint64_t held_for_store = 0; ///< Transactions that were read and wait.
  uint64_t database_bytes = 0; ///< Of SQLite's file,
  uint64_t log_bytes = 0;      ///< and of its log.
};

/// The page that Prometheus reads.
std::string metrics_page(std::span<const queue_view> queues, stored_time as_of,
                         const listener_counts& counts,
                         const process_figures& figures);

} // namespace weir
