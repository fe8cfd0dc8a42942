#pragma once

#include "schema/time.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace weir::sim {

struct disk_file;

/// The disk under SQLite, in memory: the real SQL runs on it at full speed, and
/// it can do what disks do. It knows which writes were flushed, so that a power
/// cut takes what was not; it can be full, and a flush can fail. SQLite takes
/// the time and its random numbers from it too, so that runs repeat.
///
/// Files exist by name as long as the disk does; what has them open keeps them.
/// One disk is mounted at a time, and all of it runs on one thread.
class disk {
public:
  disk();
  ~disk();
  disk(const disk&) = delete;
  disk& operator=(const disk&) = delete;

  /// From now on SQLite opens its files here.
  void mount();

  /// What `julianday('now')` reads.
  std::function<stored_time()> clock;

  /// Nothing may grow while it is full.
  void set_full(bool full) {
    full_ = full;
  }
  /// The next flush fails; whether the bytes are there is not known.
  void fail_next_flush() {
    flush_fails_ = true;
  }
  /// Whether a failure that was asked for has happened.
  [[nodiscard]] bool flush_failed() const {
    return !flush_fails_;
  }

  /// The process ends: what it had open is lost to it. What was written stays.
  void end_process();
  /// The machine ends: of the writes that were not flushed the last ones are
  /// lost, in each file as many as `keep` decides of how many there were.
  void cut_power(const std::function<size_t(size_t)>& keep);

  using image = std::map<std::string, std::string>;
  /// A plain copy of all files, and putting it back. Nothing may have them
  /// open.
  [[nodiscard]] image copy() const;
  void restore(const image& from);

  [[nodiscard]] uint64_t flushes() const {
    return flushes_;
  }

  // -- for the file system itself -------------------------------------------

  std::shared_ptr<disk_file> open(const char* name, bool make);
  bool remove(const std::string& name);
  [[nodiscard]] bool exists(const std::string& name) const;
  [[nodiscard]] bool full() const {
    return full_;
  }
  /// Counts a flush; false when it fails.
  bool flush();
  uint64_t random();

private:
  std::map<std::string, std::shared_ptr<disk_file>> files_;
  bool full_ = false;
  bool flush_fails_ = false;
  uint64_t flushes_ = 0;
  uint64_t random_ = 1;
};

} // namespace weir::sim
