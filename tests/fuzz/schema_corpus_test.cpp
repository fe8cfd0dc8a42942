#include "tests/fuzz/corpus.hpp"
#include "tests/fuzz/properties.hpp"

using namespace weir::test;

TEST_CASE("fuzz: the corpus of transactions holds") {
  check_corpus("transaction", broken_transaction_property);
}

TEST_CASE("fuzz: the corpus of requests of the second door holds") {
  check_corpus("submission", broken_submission_property);
}

TEST_CASE("fuzz: the corpus of registrations holds") {
  check_corpus("registration", broken_registration_property);
}

TEST_CASE("fuzz: the corpus of configurations holds") {
  check_corpus("configuration", broken_configuration_property);
}

TEST_CASE("fuzz: the corpus of stream tokens holds") {
  check_corpus("token", broken_token_property);
}
