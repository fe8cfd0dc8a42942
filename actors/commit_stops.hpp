#pragma once

#include "actors/messages/control.hpp"
#include "actors/messages/kept.hpp"
#include "actors/messages/removal.hpp"
#include "actors/messages/store.hpp"
#include "actors/stop_points.hpp"

/// Where a test ends the process between a commit and its answer, by what the
/// answer is.
namespace weir {

inline void stop_after_commit(const transaction_stored& reply) {
  stop_point("after_accept_commit");
  if (reply.pinned)
    stop_point("after_pin");
}

inline void stop_after_commit(const queue_halted&) {
  stop_point("after_halt_commit");
}

inline void stop_after_commit(const back_off_ended&) {
  stop_point("after_retry_commit");
}

inline void stop_after_commit(const transaction_skipped&) {
  stop_point("after_skip_commit");
}

inline void stop_after_commit(const removal_done&) {
  stop_point("after_removal_commit");
}

inline void stop_after_commit(const kept_changed&) {
  stop_point("after_kept_commit");
}

template <class Reply>
void stop_after_commit(const Reply&) {
}

} // namespace weir
