#include "schema/yaml.hpp"

#include <doctest/doctest.h>

using namespace weir;

namespace {

/// What is written for a document that was read.
std::string rewritten(std::string_view text) {
  const auto document = read_yaml(text);
  REQUIRE(document.problems.empty());
  return write_yaml(document.root);
}

} // namespace

TEST_CASE("yaml writer: what may be a number or a word is left plain") {
  CHECK(rewritten("a: 1\nb: 0x1F\nc: yes\nd: 1e10\ne: 2001-12-14 21:59:43\n")
        == "a: 1\nb: 0x1F\nc: yes\nd: 1e10\ne: 2001-12-14 21:59:43\n");
}

TEST_CASE("yaml writer: a string stays a string to every reader") {
  CHECK(rewritten("a: '1'\nb: \"yes\"\nc: ''\n")
        == "a: \"1\"\nb: \"yes\"\nc: \"\"\n");
  CHECK(rewritten("a: x@y\n") == "a: \"x@y\"\n");
}

TEST_CASE("yaml writer: nothing is null, an empty list and map stay so") {
  CHECK(rewritten("a: ~\nb:\nc: []\nd: {}\n")
        == "a: null\nb: null\nc: []\nd: {}\n");
  CHECK(rewritten("{}") == "{}\n");
}

TEST_CASE("yaml writer: lists and maps are nested by indentation") {
  CHECK(rewritten("a: {b: [1, {c: 2, d: [3]}, [4, []]]}\n")
        == "a:\n"
           "  b:\n"
           "    - 1\n"
           "    - c: 2\n"
           "      d:\n"
           "        - 3\n"
           "    -\n"
           "      - 4\n"
           "      - []\n");
}

TEST_CASE("yaml writer: what a reader would fold or refuse is escaped") {
  CHECK(
    rewritten("a: \"q\\\"b\\\\n\\nt\\tnel\\x85ls\\u2028bom\\uFEFFdel\\x7f\"\n")
    == "a: \"q\\\"b\\\\n\\u000at\\u0009nel\\u0085ls\\u2028bom\\ufeff"
       "del\\u007f\"\n");
  CHECK(rewritten("a: '\xC3\xA4 \xF0\x9F\x98\x80'\n")
        == "a: \"\xC3\xA4 \xF0\x9F\x98\x80\"\n");
}

TEST_CASE("yaml writer: what is written is read as it was") {
  const std::string text = "\"1\": [x, {\"a b\": \"\\u0000\"}]\n"
                           "c: |\n  one\n  two\n"
                           "d: &n {e: null}\n"
                           "f: *n\n";
  const auto once = rewritten(text);
  CHECK(rewritten(once) == once);
  CHECK(once
        == "\"1\":\n  - x\n  - \"a b\": \"\\u0000\"\n"
           "c: \"one\\u000atwo\\u000a\"\n"
           "d:\n  e: null\n"
           "f:\n  e: null\n");
}
