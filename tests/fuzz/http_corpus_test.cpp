#include "tests/fuzz/corpus.hpp"
#include "tests/fuzz/properties.hpp"

using namespace weir::test;

TEST_CASE("fuzz: the corpus of requests holds") {
  check_corpus("request", broken_request_property);
}

TEST_CASE("fuzz: the corpus of queries holds") {
  check_corpus("query", broken_query_property);
}

TEST_CASE("fuzz: the corpus of answers holds") {
  check_corpus("answer", broken_answer_property);
}
