#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weir::sim {

/// The locks of the wal-index, SQLITE_SHM_NLOCK of them.
inline constexpr size_t shm_locks = 8;

/// One opening of a file, with the locks it holds.
struct file_holder {
  int level = 0;       ///< SQLITE_LOCK_…
  uint32_t shared = 0; ///< Of the wal-index, a bit each.
  uint32_t exclusive = 0;
};

/// The bytes of one file, and what is not flushed of them.
struct disk_file {
  struct unflushed_write {
    size_t at = 0;
    std::string before; ///< What was there.
    size_t size_before = 0;
  };

  std::string bytes;
  std::vector<unflushed_write> unflushed;
  bool lost = false; ///< Its process or machine ended.
  std::vector<file_holder*> holders;
  std::vector<std::unique_ptr<char[]>> wal_index;

  void write(size_t at, const char* from, size_t size);
  void truncate(size_t size);
  void flush() {
    unflushed.clear();
  }
  /// Takes back all unflushed writes but the first `keep`.
  void lose_unflushed(size_t keep);

  /// Whether a holder other than `own` satisfies `test`.
  template <class Test>
  bool any_other(const file_holder* own, Test test) const {
    for (const auto* each : holders)
      if (each != own && test(*each))
        return true;
    return false;
  }
};

} // namespace weir::sim
