#pragma once

#include "actors/trace/seams.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

/// The recorder: one for the process, off until `start`. From then on every
/// actor of Weir writes a line for each message it has handled: what it was
/// given, when, and what it did about it. docs/traces.md tells the format;
/// actors/trace/replay.hpp does the same again from it.
///
///     auto lines = std::make_shared<weir::trace::memory_sink>();
///     weir::trace::start(lines, {});          // all actors
///     …                                       // run
///     weir::trace::stop();
///     for (const auto& line : lines->lines()) …
namespace weir::trace {

/// The version of the format; a reader refuses another.
inline constexpr int format_version = 1;
/// A longer line leaves its contents out.
inline constexpr size_t line_bytes_max = size_t{1} << 20;

/// Where lines go. `take` is called from any thread of the actors, by several
/// at once, and must not block: a line that finds no room is dropped and
/// counted by the sink, which says so in a gap line (`gap_line`).
class sink {
public:
  virtual ~sink() = default;
  /// One record as one line, without its line break.
  virtual void take(std::string line) = 0;
};

/// Keeps the last lines in memory: for tests and for the simulator.
class memory_sink final : public sink {
public:
  explicit memory_sink(size_t lines_max = 1'000'000) : lines_max_{lines_max} {
  }
  void take(std::string line) override;
  [[nodiscard]] std::vector<std::string> lines() const;

private:
  const size_t lines_max_;
  mutable std::mutex mutex_;
  std::deque<std::string> lines_;
  uint64_t dropped_ = 0;
};

/// What is recorded.
struct recorder_options {
  /// Names such as `directory`, `appservice/telegram`, `appservice/*`. Empty:
  /// all actors.
  std::vector<std::string> actors = {};
  /// Event bodies, tokens and all: for a test on made-up data only.
  bool with_content = false;
  /// For people only; nothing is computed from it.
  int64_t began_unix_ms = 0;
  std::string node = {};
};

/// What the recorder has done since `start`.
struct recorder_status {
  bool on = false;
  uint64_t records = 0;
  recorder_options options;
};

/// Begins a trace; one that was running ends. The first line is its heading.
void start(std::shared_ptr<sink> to, recorder_options options);

/// Ends the trace. Of handlers that are under way in other threads nothing is
/// written.
void stop();

recorder_status status();

/// What a sink writes in place of lines it had no room for.
std::string gap_line(uint64_t dropped);

} // namespace weir::trace
