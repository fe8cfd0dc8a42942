#pragma once

#include "tests/bench/load.hpp"
#include "tests/bench/subject.hpp"

#include <string>
#include <vector>

namespace bench {

/// What a run is about.
enum class measure {
  accepted,  ///< Events a second until the homeserver's last answer.
  delivered, ///< Events a second until the last one is at its bridge.
  latency,   ///< Median time from the homeserver's send to the bridge, ms.
};

/// One way to put both contestants under load.
struct scenario {
  std::string name;
  measure what = measure::delivered;
  size_t appservices = 1;
  load_plan plan;
};

/// What one contestant did in one scenario.
struct figures {
  double result = 0;    ///< In the unit of its `measure`.
  double worst = 0;     ///< 99th percentile of the answers or latencies, ms.
  double cpu_us = 0;    ///< CPU of the contestant for each event.
  uint64_t repeats = 0; ///< Transactions a bridge was sent again.
};

/// Runs one contestant on an empty database. Ends the program when an event is
/// missing or out of order.
figures measure_one(contestant which, const places& at, const scenario& of);

} // namespace bench
