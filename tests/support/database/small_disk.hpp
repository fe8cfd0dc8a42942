#pragma once

#include "tests/support/database/sqlite_file.hpp"

namespace weir::test {

/// A file system of a few megabytes that a test fills and frees. Mounted where
/// only the calling thread sees it. Throws where that is not allowed: a test of
/// a full disk that cannot have one has failed.
class small_disk {
public:
  explicit small_disk(size_t megabytes);
  ~small_disk();
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept {
    return folder_.path();
  }
  /// Takes all the space that is left.
  void fill() const;
  void free() const;

private:
  temporary_folder folder_;
};

} // namespace weir::test
