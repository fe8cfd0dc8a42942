#include "schema/json_check.hpp"
#include "schema/transaction.hpp"
#include "tests/fuzz/json_source.hpp"
#include "tests/fuzz/properties.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <cstdlib>
#include <string>

using namespace weir;

namespace {

/// Rounds are counted, not timed, so that a seed always means the same inputs.
constexpr size_t rounds = 60'000;

uint64_t fuzz_seed() {
  const char* const asked = std::getenv("WEIR_FUZZ_SEED");
  const uint64_t seed = asked ? std::strtoull(asked, nullptr, 10) : 20'260'801;
  MESSAGE("seed ", seed, ", another by WEIR_FUZZ_SEED");
  return seed;
}

/// Readable and exact, for the report of a failure.
std::string printable(std::string_view bytes) {
  return nlohmann::json(std::string{bytes})
    .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// What nlohmann decides otherwise on purpose: escapes of surrogates must pair,
/// numbers must fit a double, a byte order mark is skipped, NUL ends the text.
bool is_known_difference(std::string_view text) {
  if (text.starts_with("\xef") || text.find('\0') != std::string_view::npos)
    return true;
  for (size_t at = 0; at + 2 < text.size(); ++at) {
    const bool escape = text.substr(at, 2) == "\\u";
    if (escape && (text[at + 2] == 'd' || text[at + 2] == 'D'))
      return true;
    const bool exponent = text[at] == 'e' || text[at] == 'E';
    const auto digits = text.find_first_not_of("+-", at + 1);
    if (exponent && digits != std::string_view::npos
        && text.substr(digits, 3).find_first_not_of("0123456789")
          == std::string_view::npos)
      return true;
  }
  return false;
}

} // namespace

TEST_CASE("fuzz: generated documents are taken") {
  test::json_source source{fuzz_seed()};
  for (size_t round = 0; round < rounds; ++round) {
    const auto text = source.document();
    if (!check_json(text))
      FAIL("round " << round << ": " << printable(text));
  }
}

TEST_CASE("fuzz: a second parser agrees on damaged documents") {
  test::json_source source{fuzz_seed()};
  size_t taken = 0;
  size_t refused = 0;
  for (size_t round = 0; round < rounds; ++round) {
    const auto text = source.damaged(source.document());
    if (is_known_difference(text))
      continue;
    const bool here = check_json(text).has_value();
    if (here != nlohmann::json::accept(text))
      FAIL("round " << round << ": " << printable(text));
    ++(here ? taken : refused);
  }
  // Neither answer may be so rare that the comparison means nothing.
  CHECK(taken > rounds / 20);
  CHECK(refused > rounds / 20);
}

TEST_CASE("fuzz: transactions keep their elements, whole or damaged") {
  test::json_source source{fuzz_seed()};
  size_t sliced = 0;
  for (size_t round = 0; round < rounds; ++round) {
    const auto body = source.transaction();
    for (const auto& text : {body, source.damaged(body)}) {
      const auto broken = test::broken_transaction_property(text);
      if (!broken.empty())
        FAIL("round " << round << ": " << broken << ": " << printable(text));
      sliced += slice_transaction(text) ? 1 : 0;
    }
  }
  CHECK(sliced > rounds / 2);
}
