#include "schema/metrics.hpp"
#include "tests/support/source_dir.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>

using namespace weir;

TEST_CASE("metrics: the reference in docs is the one the code prints") {
  std::ifstream file{test::source_dir() + "/docs/metrics.md"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  CHECK(text == metrics_reference());
}

TEST_CASE("metrics: every family is named once and explained") {
  std::set<std::string_view> names;
  for (const auto& family : metric_families()) {
    CHECK(names.insert(family.name).second);
    CHECK(!family.help.empty());
    const bool total = family.name.ends_with("_total");
    CHECK(total == (family.kind == metric_kind::counter));
  }
  CHECK(!names.empty());
}
