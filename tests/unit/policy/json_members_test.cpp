#include "actors/policy/json_members.hpp"

#include <doctest/doctest.h>

using namespace weir::policy;

TEST_CASE("json members: an object gives its members in their order") {
  const auto found = read_members(R"( {"b": [1, 2], "\u0061":"x"} )");
  REQUIRE(found);
  REQUIRE(found->size() == 2);
  CHECK(found->at(0).key == "b");
  CHECK(found->at(0).value == "[1, 2]");
  CHECK(found->at(1).key == "a");
  CHECK(found->at(1).raw_key == R"(\u0061)");
  CHECK(found->at(1).value == R"("x")");
  CHECK(read_members("{}")->empty());
}

TEST_CASE("json members: what is no object, or names a key twice, gives none") {
  for (const auto* text : {"", "[]", "7", R"("a")", R"({"a":1)", R"({"a":1}})",
                           R"({"a":})", R"({"a":,"b":1})", R"({"a":1 "b":2})",
                           R"({"a":1,"a":2})", R"({"a":1,"\u0061":2})"}) {
    CAPTURE(text);
    CHECK(!read_members(text));
  }
}

TEST_CASE("json members: a list gives its strings in their order") {
  const auto found = read_texts(R"( ["", "\u0061b" , "c"] )");
  REQUIRE(found);
  REQUIRE(found->size() == 3);
  CHECK(found->at(0).text.empty());
  CHECK(found->at(0).raw == R"("")");
  CHECK(found->at(1).text == "ab");
  CHECK(found->at(1).raw == R"("\u0061b")");
  CHECK(found->at(2).text == "c");
  CHECK(read_texts("[]")->empty());
}

TEST_CASE("json members: what is no list of strings gives none") {
  for (const auto* text : {"", "{}", "7", R"("a")", R"(["a")", R"(["a"]])",
                           R"(["a",])", "[1]", R"([1,"a"])", R"(["a",1])",
                           R"(["a",["b"]])", R"([,"a"])", R"(["a" "b"])"}) {
    CAPTURE(text);
    CHECK(!read_texts(text));
  }
}
