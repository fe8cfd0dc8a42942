#pragma once

#include "actors/trace/file_sink.hpp"
#include "actors/trace/recorder.hpp"

#include <functional>
#include <memory>
#include <mutex>

namespace weir::trace {

/// What an operator is told of the trace of a process.
struct control_status {
  recorder_status recorder;
  file_sink_status file;
  std::string path; ///< Where it is or was written; empty: there was none.
};

/// The switch of the trace of a running Weir. Where traces are written is fixed
/// at the start, so that nobody who may switch one on can choose a file.
/// Thread-safe.
class control {
public:
  /// @param unix_ms The time of day, for the heading.
  control(file_sink_options files, std::string node,
          std::function<int64_t()> unix_ms);
  ~control(); ///< Ends the trace and writes what waits.
  control(const control&) = delete;
  control& operator=(const control&) = delete;

  /// Begins a trace in a new file; one that runs is ended. `began_unix_ms` and
  /// `node` are filled in. Errors: `ec::unavailable`; `ec::busy` while another
  /// start or stop waits for the disk.
  expected<void> start(recorder_options what);
  /// Errors: `ec::busy`.
  expected<void> stop();
  /// Never waits for the disk.
  [[nodiscard]] control_status status() const;

private:
  void end();

  const file_sink_options files_;
  const std::string node_;
  const std::function<int64_t()> unix_ms_;
  std::mutex switching_;     ///< Held while the disk is waited for.
  mutable std::mutex mutex_; ///< Of what follows; held for moments.
  std::shared_ptr<file_sink> sink_;
  control_status last_; ///< Of a trace that has ended.
};

} // namespace weir::trace
