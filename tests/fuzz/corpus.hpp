#pragma once

#include <doctest/doctest.h>

#include "tests/support/source_dir.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace weir::test {

/// Feeds every committed input of a parser to its property: the inputs that the
/// fuzzer starts from, and what it once broke something with.
inline void check_corpus(const std::string& name,
                         std::string (*broken)(std::string_view)) {
  size_t inputs = 0;
  const auto folder
    = std::filesystem::path{source_dir()} / "tests/fuzz/corpus" / name;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    std::ifstream file{entry.path(), std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    CHECK_MESSAGE(broken(bytes) == "", entry.path().filename().string());
    ++inputs;
  }
  CHECK(inputs > 0);
}

} // namespace weir::test
