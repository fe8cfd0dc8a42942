#include "tests/trace/replay_helper.hpp"

#include "tests/support/source_dir.hpp"

#include <doctest/doctest.h>

namespace weir::test {

void replay(const std::string& path) {
  const auto loaded = trace::load(std::string{source_dir()} + "/" + path);
  REQUIRE_MESSAGE(loaded.has_value(),
                  (loaded ? std::string{} : to_string(loaded.error())));
  const auto report = trace::replay(loaded.value());
  CHECK_MESSAGE(report.same(), path << ":\n" << trace::to_text(report));
}

} // namespace weir::test
