#pragma once

#include "actors/trace/recorder.hpp"

#include "schema/error.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace weir::trace {

/// Lines that wait for the disk; beyond this they are dropped and counted.
inline constexpr size_t waiting_bytes_max = size_t{8} << 20;

/// Where the files are and how large they may become.
struct file_sink_options {
  std::string path;
  /// Of one file. The next line would pass it: the file becomes `path.1`, what
  /// was that becomes `path.2`, and so on.
  uint64_t bytes_max = uint64_t{64} << 20;
  uint32_t rotate = 4; ///< Older files that are kept; 0: none.
  /// A disk that takes longer to write what waits hangs, and is left to itself.
  std::chrono::milliseconds finish_time{5'000};
};

/// What became of the lines.
struct file_sink_status {
  uint64_t bytes = 0; ///< Of the present file.
  uint64_t dropped = 0;
  std::string failure; ///< Why nothing is written any more; empty: it is.
};

/// Writes lines to a file from a thread of its own, so that no actor waits for
/// a disk. Only whole lines stay in it, whatever the disk does; a process that
/// is killed may leave a part of the last one. After a failure (a full disk)
/// nothing more is written and `on_failure` is called once, on that thread.
class file_sink final : public sink,
                        public std::enable_shared_from_this<file_sink> {
public:
  /// A trace that is there already is kept as an older one. Anything else that
  /// is there (a database, a folder, a link, a pipe) stays as it is. Errors:
  /// `ec::unavailable` when the file cannot be made.
  static expected<std::shared_ptr<file_sink>>
  open(file_sink_options options,
       std::function<void(const std::string&)> on_failure);
  /// The same into what is open already, and is closed at the end.
  static std::shared_ptr<file_sink>
  into(int file, file_sink_options options,
       std::function<void(const std::string&)> on_failure);

  ~file_sink() override;
  file_sink(const file_sink&) = delete;
  file_sink& operator=(const file_sink&) = delete;

  void take(std::string line) override;
  /// Writes what waits, or as much as `finish_time` allows; what comes later is
  /// not written.
  void finish();
  [[nodiscard]] file_sink_status status() const;

private:
  file_sink(file_sink_options options,
            std::function<void(const std::string&)> on_failure);
  void begin_thread();
  void write_all();
  void write_what_comes();
  expected<void> write(std::vector<std::string> lines, uint64_t dropped);
  expected<void> append(const std::string& text);
  expected<void> begin_file();
  expected<void> make_way() const;

  file_sink_options options_;
  std::function<void(const std::string&)> on_failure_;
  std::string heading_; ///< Begins every file.
  int file_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> waiting_;
  size_t waiting_bytes_ = 0;
  uint64_t unsaid_ = 0; ///< Dropped, and not told by a gap line yet.
  bool ending_ = false;
  bool ended_ = false;
  std::shared_ptr<file_sink> given_up_; ///< Itself, while its disk hangs.
  file_sink_status status_;
  std::thread thread_; ///< Last: it uses all of the above.
};

} // namespace weir::trace
