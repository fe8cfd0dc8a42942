#pragma once

#include "schema/error.hpp"

#include <filesystem>

namespace weir {

/// The lock on a data folder: proof that a predecessor on this host is dead, so
/// that its slots can be taken at once. Held until it is destroyed or the
/// process ends, in whatever way: the kernel lets go of it. Passes to no child.
class data_lock {
public:
  /// Locks `folder/weir.lock`, made with mode 0600 when it is missing, and
  /// notes our process id in it. Errors: `ec::busy` when another process holds
  /// it, with its id in the context; `ec::unavailable` when the file cannot be
  /// made.
  static expected<data_lock> acquire(const std::filesystem::path& folder);

  data_lock(data_lock&& from) noexcept;
  data_lock& operator=(data_lock&& from) noexcept;
  ~data_lock();

private:
  explicit data_lock(int file) noexcept : file_{file} {
  }

  int file_ = -1;
};

} // namespace weir
