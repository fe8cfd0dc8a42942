#pragma once

#include "schema/error.hpp"

#include <string>
#include <string_view>

namespace weir {

/// A file that only its owner reads and that was not there before. Until
/// `finish` it stands under another name, and goes with this object.
class export_file {
public:
  /// Errors: `ec::rejected` when it cannot be made, or is there already.
  static expected<export_file> make(const std::string& path);
  export_file(export_file&& other) noexcept;
  export_file& operator=(export_file&&) = delete;
  ~export_file();

  /// Errors: `ec::unavailable`, as when the disk is full.
  expected<void> write(std::string_view bytes);
  /// All of it is on disk under its name. Errors: as `write`.
  expected<void> finish();

private:
  export_file(int file, std::string path);

  int file_;
  std::string path_;
};

} // namespace weir
