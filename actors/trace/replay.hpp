#pragma once

#include "actors/trace/reader.hpp"

#include <string>
#include <vector>

/// Replays traces: fresh actors, made as the recorded ones were, are given the
/// recorded messages at the recorded moments on CAF's test coordinator, and
/// must do what the recorded ones did. What they ask of others is not asked of
/// anybody: the recorded answers come by themselves. That is guarantee G12.
namespace weir::trace {

/// What the replay of one incarnation of one actor came to.
struct replayed_actor {
  enum class outcome : uint8_t {
    same,
    different,
    not_replayed, ///< `why` says why; nothing was compared.
  };

  std::string label;
  outcome result = outcome::same;
  size_t records = 0; ///< That were compared.
  /// Of a difference: both sides and the ten messages before it. Of the others
  /// a sentence, or nothing.
  std::string why;
};

/// What a replay came to, actor by actor in the order of the trace.
struct replay_report {
  std::vector<replayed_actor> actors;

  /// Something was compared and nothing differs.
  [[nodiscard]] bool same() const;
  [[nodiscard]] bool different() const;
};

/// Replays every actor of the trace. Must not run while a trace is written in
/// this process.
replay_report replay(const loaded_trace& what);

/// For a person.
std::string to_text(const replay_report& report);

} // namespace weir::trace
