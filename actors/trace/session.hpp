#pragma once

#include "actors/trace/codec.hpp"
#include "actors/trace/recorder.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <optional>

namespace weir::trace {

/// What a replay gives in place of the seams, and how it holds back what it
/// gives by itself: timers and messages to oneself.
struct replayed_seams {
  std::deque<json> drawn;   ///< What the record under way had drawn.
  std::deque<json> spawned; ///< The actors that it had made.
  std::string problem;
  /// The incarnation of the actor that is made next.
  std::optional<uint32_t> incarnation;
};

/// One trace, from `start` to `stop`.
struct session {
  std::shared_ptr<sink> to;
  recorder_options options;
  uint64_t number = 0; ///< Tells sessions apart; never 0.
  std::atomic<uint64_t> next_seq{1};
  std::atomic<uint64_t> records{0};
  replayed_seams* replay = nullptr; ///< Set while a trace is replayed.
};

/// The session that is on; null without one.
std::shared_ptr<session> session_now();

/// `start` for a replay, which belongs to the calling thread.
void start_replay(std::shared_ptr<sink> to, recorder_options options,
                  replayed_seams& seams);

} // namespace weir::trace
