#pragma once

#include "schema/http.hpp"
#include "schema/time.hpp"
#include "tests/sim/ledger.hpp"
#include "tests/sim/plan.hpp"

#include <deque>
#include <optional>
#include <string>

namespace weir::sim {

/// What a bridge does with one request.
struct bridge_reply {
  milliseconds after{0};
  http_answer answer;
  bool processes = false; ///< It does what the transaction says.
  ending how = ending::refused;
  milliseconds wish{0}; ///< To be left alone for so long.
};

/// A bridge as bridges are: it has a temper, and faults befall it. All it does
/// follows from its plan, what it was sent and the time.
class bridge {
public:
  bridge(size_t index, bridge_plan of, uint64_t seed);

  /// The fault `line` befalls its next requests, or it for some time.
  void befall(const entry& line, milliseconds now);

  /// @param unix_time The time by its own clock, which is right.
  bridge_reply receive(const http_request& request, milliseconds now,
                       stored_time unix_time);

  /// What befell the last request; for the coverage table.
  [[nodiscard]] std::optional<act> befallen() const {
    return befallen_;
  }
  /// Whether faults wait for its next requests.
  [[nodiscard]] bool is_troubled(milliseconds now) const {
    return !faults_.empty() || now < outage_until_;
  }
  /// The node's database tells another time: a date without a Date would mean
  /// another wish there.
  void add_dates() {
    adds_dates_ = true;
  }
  /// Whatever still waits for it will not come.
  void calm() {
    faults_.clear();
    outage_until_ = milliseconds{0};
  }

private:
  bridge_reply by_temper(const http_request& request);
  bridge_reply by_fault(const entry& fault, const bridge_reply& usual,
                        stored_time unix_time);
  bridge_reply with_wish(const entry& fault, stored_time unix_time);

  size_t index_;
  bridge_plan plan_;
  uint64_t seed_;
  uint64_t requests_ = 0;
  std::deque<entry> faults_;
  milliseconds outage_until_{0};
  bool adds_dates_ = false;
  std::optional<act> befallen_;
};

/// Whether an event is one that some bridges cannot stand.
inline constexpr std::string_view poison_mark = "\"weir_poison\":true";

} // namespace weir::sim
