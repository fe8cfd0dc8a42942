#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/stat.h>

namespace weir {

/// A folder of one test, gone with it. Its files are private unless said
/// otherwise.
class test_folder {
public:
  test_folder() {
    auto name
      = std::filesystem::temp_directory_path().string() + "/weir-test-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~test_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  test_folder(const test_folder&) = delete;
  test_folder& operator=(const test_folder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept {
    return path_;
  }

  /// Returns the file's path.
  std::string write(const std::string& name, const std::string& text,
                    mode_t mode = 0600) const {
    const auto path = path_ + "/" + name;
    std::ofstream{path} << text;
    chmod(path.c_str(), mode);
    return path;
  }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in{path_ + "/" + name};
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  [[nodiscard]] mode_t mode(const std::string& name) const {
    struct stat status {};
    REQUIRE(stat((path_ + "/" + name).c_str(), &status) == 0);
    return status.st_mode & 07777;
  }

  [[nodiscard]] size_t files() const {
    return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator{path_},
                    std::filesystem::directory_iterator{}));
  }

private:
  std::string path_;
};

} // namespace weir
