#pragma once

#include "persistence/store.hpp"

#include <filesystem>

namespace weir::test {

/// A folder of its own for one test, removed at the end.
class temporary_folder {
public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept {
    return path_;
  }

private:
  std::filesystem::path path_;
};

/// The address of a SQLite store in a folder of its own. Nothing is made yet.
class sqlite_file {
public:
  [[nodiscard]] std::filesystem::path path() const {
    return folder_.path() / "weir.db";
  }
  [[nodiscard]] store_options options() const {
    return {"sqlite://" + path().string(), false};
  }

private:
  temporary_folder folder_;
};

} // namespace weir::test
