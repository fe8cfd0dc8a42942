#include "tests/support/database/sqlite_file.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

namespace weir::test {

temporary_folder::temporary_folder() {
  auto pattern
    = (std::filesystem::temp_directory_path() / "weir-test-XXXXXX").string();
  const char* made = ::mkdtemp(pattern.data());
  WEIR_ASSERT(made != nullptr);
  path_ = made;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace weir::test
