#include "tests/fuzz/corpus.hpp"
#include "tests/fuzz/properties.hpp"

using namespace weir::test;

TEST_CASE("fuzz: the corpus of traces holds") {
  check_corpus("trace", broken_trace_property);
}
