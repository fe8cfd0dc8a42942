#include "schema/json_check.hpp"

#include "schema/json_string.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace weir;
using namespace std::string_literals;

namespace {

bool accepts(std::string_view text) {
  return check_json(text).has_value();
}

std::string in_quotes(std::string_view content) {
  return '"' + std::string{content} + '"';
}

std::string nested(size_t depth, std::string_view first,
                   std::string_view last) {
  std::string text;
  for (size_t i = 0; i < depth; ++i)
    text += first;
  text += first == "[" ? "" : "0";
  for (size_t i = 0; i < depth; ++i)
    text += last;
  return text;
}

/// A document with every form of the grammar, of which no prefix is one.
constexpr std::string_view every_form
  = "{ \"a\" :\t[ ] , \"\":{}, "
    "\"b\\u00e9\\n\\\\\\\"\\/\":[1,-0,0.5,1e5,-12.25E-3,"
    "2E+7,true,\r\nfalse,null,\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\",[[[{}]]]"
    ","
    "\"a run that is longer than sixteen bytes, twice over\"]}";

} // namespace

TEST_CASE("json check: every form of the grammar is taken") {
  for (const auto* text : {"{}",
                           "[]",
                           "\"\"",
                           "0",
                           "-0",
                           "-1",
                           "10",
                           "0.0",
                           "1.50",
                           "1e1",
                           "1E1",
                           "1e+1",
                           "1e-1",
                           "-0.0e-0",
                           "true",
                           "false",
                           "null",
                           " 1 ",
                           "\t\r\n[\n]\n",
                           "[1,2]",
                           "[[],{}]",
                           R"({"a":1})",
                           R"({"a":{"b":[1,{"c":null}]}})",
                           R"(["\"\\\/\b\f\n\r\t\u0000\uFFFF\uabCD"])",
                           "\"\x7f\""}) {
    CAPTURE(text);
    CHECK(accepts(text));
  }
  CHECK(accepts(every_form));
}

TEST_CASE("json check: what parsers refuse but may pass unchanged is taken") {
  for (const auto* text :
       {R"("\ud800")", R"("\udc00\ud800")", "18446744073709551616", "1e400",
        "-1e-400", "9007199254740993", R"({"a":1,"a":2})",
        "123456789012345678901234567890.5"}) {
    CAPTURE(text);
    CHECK(accepts(text));
  }
}

TEST_CASE("json check: misspelt literals and numbers are refused") {
  for (const auto* text :
       {"tru", "truE",  "nul",  "True", "truefalse", "01",       "-",
        "-01", "+1",    "1.",   ".5",   "1.e1",      "1e",       "1e+",
        "1E-", "1e+-1", "0x10", "1_0",  "NaN",       "Infinity", "-a"}) {
    CAPTURE(text);
    CHECK_FALSE(accepts(text));
  }
}

TEST_CASE("json check: broken lists and objects are refused") {
  for (const auto* text : {"[1 2]",       "[1,]",
                           "[,1]",        "[,]",
                           "[1",          "[",
                           "]",           "{",
                           "}",           "[}",
                           "{]",          "[1}",
                           "[1,,2]",      "[\"a\":1]",
                           "[]]",         R"({"a":1])",
                           R"({"a"})",    R"({"a":})",
                           R"({"a":1,})", R"({,})",
                           R"({"a" 1})",  R"({"a":1 "b":2})",
                           R"({"a"::1})", "{1:2}",
                           "{a:1}",       "{'a':1}"}) {
    CAPTURE(text);
    CHECK_FALSE(accepts(text));
  }
}

TEST_CASE("json check: broken strings and escapes are refused") {
  for (const auto* text :
       {"'a'", R"("\q")", R"("\u12")", R"("\u12g4")", R"("\u")", R"("\U0041")",
        R"("\x41")", "\"", "\"a", R"("\")", R"("\)", R"("a""b")"}) {
    CAPTURE(text);
    CHECK_FALSE(accepts(text));
  }
}

TEST_CASE("json check: exactly one value stands between white space") {
  for (const auto* text :
       {"", " ", "1 2", "{}{}", "true false", "1,", "1#", "1;", "// c\n1",
        "/* */1", "\v1", "\f1", "\xc2\xa0 1"}) {
    CAPTURE(text);
    CHECK_FALSE(accepts(text));
  }
  CHECK_FALSE(accepts("1\0"s));
  CHECK_FALSE(accepts("\0"s));
  CHECK_FALSE(accepts("[\0]"s));
}

TEST_CASE("json check: a byte order mark is refused") {
  CHECK_FALSE(accepts("\xef\xbb\xbf{}"));
  CHECK(accepts("\"\xef\xbb\xbf\""));
}

TEST_CASE("json check: control characters stand in no string") {
  for (int byte = 0; byte < 0x20; ++byte) {
    CAPTURE(byte);
    for (const auto length : {0U, 7U, 15U, 16U, 40U}) {
      const auto text = std::string(length, 'x') + static_cast<char>(byte)
        + std::string(length, 'y');
      CHECK_FALSE(accepts(in_quotes(text)));
      CHECK_FALSE(accepts("{" + in_quotes(text) + ":1}"));
    }
  }
}

TEST_CASE("json check: every byte of a string is seen at every alignment") {
  for (size_t length = 0; length < 50; ++length) {
    for (size_t place = 0; place < length; ++place) {
      std::string run(length, 'x');
      CHECK(accepts(in_quotes(run)));
      run[place] = '\x1f';
      CHECK_FALSE(accepts(in_quotes(run)));
      run[place] = '"';
      CHECK_FALSE(accepts(in_quotes(run)));
      run[place] = '\xff';
      CHECK_FALSE(accepts(in_quotes(run)));
      run[place] = '\\';
      CHECK_FALSE(accepts(in_quotes(run)));
    }
  }
}

TEST_CASE("json check: exactly the code points but surrogates are UTF-8") {
  const auto tail
    = [](uint32_t bits) { return static_cast<char>(0x80U | (bits & 0x3fU)); };
  const auto lead = [](uint32_t bits) { return static_cast<char>(bits); };
  // All encodings by the two, three and four byte schemes, overlong ones too.
  for (uint32_t point = 0; point < 0x800; ++point) {
    const std::string two{lead(0xc0U | point >> 6U), tail(point)};
    if (accepts(in_quotes(two)) != (point >= 0x80))
      FAIL("two bytes, point " << point);
  }
  for (uint32_t point = 0; point < 0x10000; ++point) {
    const std::string three{lead(0xe0U | point >> 12U), tail(point >> 6U),
                            tail(point)};
    const bool legal = point >= 0x800 && (point < 0xd800 || point > 0xdfff);
    if (accepts(in_quotes(three)) != legal)
      FAIL("three bytes, point " << point);
  }
  for (uint32_t point = 0; point < 0x200000; point += 0x3f) {
    const std::string four{lead(0xf0U | point >> 18U), tail(point >> 12U),
                           tail(point >> 6U), tail(point)};
    const bool legal = point >= 0x10000 && point <= 0x10ffff;
    if (accepts(in_quotes(four)) != legal)
      FAIL("four bytes, point " << point);
  }
  CHECK(accepts("\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""));
  CHECK_FALSE(accepts("\"\xf0\x8f\xbf\xbf\""));
  CHECK_FALSE(accepts("\"\xf4\x90\x80\x80\""));
}

TEST_CASE("json check: broken UTF-8 sequences are refused") {
  for (const auto* content :
       {"\x80", "\xbf", "\xc2", "\xc2\x41", "\xc2\xc0", "\xe2\x82",
        "\xe2\x82\x41", "\xe2\x41\x82", "\xf0\x9f\x98", "\xf0\x9f\x98\x41",
        "\xf0\x9f\x41\x80", "\xf0\x41\x98\x80", "\xf5\x80\x80\x80",
        "\xf8\x88\x80\x80\x80", "\xfe", "\xff", "\xc3\xa9\xa9"}) {
    CAPTURE(content);
    CHECK_FALSE(accepts(in_quotes(content)));
    CHECK_FALSE(accepts('"' + std::string{content}));
  }
}

TEST_CASE("json check: nesting is bounded and needs no stack") {
  CHECK(check_json("[]", 1).has_value());
  CHECK(check_json("0", 0).has_value());
  CHECK_FALSE(check_json("[]", 0).has_value());
  CHECK_FALSE(check_json("[[]]", 1).has_value());
  CHECK_FALSE(check_json(R"({"a":{}})", 1).has_value());
  CHECK(check_json("[[],[],{}]", 2).has_value());
  const auto most = limits::json_depth_max;
  CHECK(accepts(nested(most, "[", "]")));
  CHECK(accepts(nested(most, R"({"a":)", "}")));
  CHECK_FALSE(accepts(nested(most + 1, "[", "]")));
  CHECK_FALSE(accepts(nested(most + 1, R"({"a":)", "}")));
  CHECK_FALSE(accepts(std::string(1'000'000, '[')));
  // A larger bound than the hard one is cut to it.
  CHECK_FALSE(check_json(nested(most + 1, "[", "]"), most + 1).has_value());
}

TEST_CASE("json check: no true prefix of a document is one") {
  REQUIRE(accepts(every_form));
  for (size_t length = 0; length < every_form.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(accepts(every_form.substr(0, length)));
  }
}

TEST_CASE("json check: an error tells the offset and no byte of the text") {
  const auto refused = check_json(R"({"secret": nope})");
  REQUIRE(!refused);
  CHECK(refused.error()
        == error{ec::not_json, "byte 11: expected true, false or null"});
  CHECK(check_json("[1,2").error().context
        == "byte 4: expected a comma or the end of the list");
  CHECK(check_json(R"({"a" 1})").error().context == "byte 5: expected a colon");
  CHECK(check_json("1 secret").error().context
        == "byte 2: expected the end of the text");
  CHECK(check_json("\"ab\xff").error().context
        == "byte 3: expected valid UTF-8");
}

TEST_CASE("json check: nothing past the end of a view is read") {
  const auto refused_at_1 = [](std::string_view text, size_t length) {
    const auto checked = check_json(text.substr(0, length));
    return !checked && checked.error().context.starts_with("byte 1: ");
  };
  CHECK(refused_at_1(R"("\u1234")", 6));
  CHECK(refused_at_1(R"("\n")", 2));
  CHECK(refused_at_1("\"\xc3\xa9\"", 2));
  CHECK(refused_at_1("\"\xe2\x82\xac\"", 3));
  CHECK(refused_at_1("\"\xf0\x9f\x98\x80\"", 4));
  CHECK(refused_at_1("[true]", 4));
  CHECK(check_json(std::string_view{"123e5"}.substr(0, 3)).has_value());
  CHECK_FALSE(check_json(std::string_view{"-1"}.substr(0, 1)).has_value());
}

TEST_CASE("json check: the cursor gives raw keys and values") {
  json_cursor cursor{R"( { "a\u0062" : [ 1 , "x" ] , "c":{ } } )"};
  std::vector<std::string> seen;
  REQUIRE(cursor.peek() == '{');
  REQUIRE(cursor.members([&](std::string_view raw_key) {
    std::string_view raw;
    const bool passed = cursor.value(raw);
    seen.push_back(std::string{raw_key} + '=' + std::string{raw});
    return passed;
  }));
  CHECK(cursor.finish());
  CHECK(seen == std::vector<std::string>{R"(a\u0062=[ 1 , "x" ])", "c={ }"});
}

TEST_CASE("json check: the cursor checks what it visits as what it passes") {
  const auto visit = [](std::string_view text) {
    json_cursor cursor{text, 2};
    return cursor.items([&] {
      std::string_view raw;
      return cursor.value(raw);
    }) && cursor.finish();
  };
  CHECK(visit("[]"));
  CHECK(visit("[1, [2]]"));
  for (const auto* text :
       {"[1,]", "[,]", "[1", "[1}", "[1]]", "[[[1]]]", "[1 2]", "{}", ""}) {
    CAPTURE(text);
    CHECK_FALSE(visit(text));
  }
}

TEST_CASE("json string: unescaping gives the text that was meant") {
  CHECK(unescape_json("").empty());
  CHECK(unescape_json("plain \xc3\xa9") == "plain \xc3\xa9");
  CHECK(unescape_json(R"(\"\\\/\b\f\n\r\t)") == "\"\\/\b\f\n\r\t");
  CHECK(unescape_json(R"(a\u0041\u00e9\u20AC\u0000z)")
        == "aA\xc3\xa9\xe2\x82\xac\0z"s);
  CHECK(unescape_json(R"(\ud83d\ude00)") == "\xf0\x9f\x98\x80");
  CHECK(unescape_json(R"(\uD83D\uDE00)") == "\xf0\x9f\x98\x80");
  CHECK(unescape_json(R"(\ud800\udc00)") == "\xf0\x90\x80\x80");
  CHECK(unescape_json(R"(\udbff\udfff)") == "\xf4\x8f\xbf\xbf");
  CHECK(unescape_json(R"(\\u0041)") == R"(\u0041)");
}

TEST_CASE("json string: different lone surrogates stay different") {
  CHECK(unescape_json(R"(\ud800)") == "\xed\xa0\x80");
  CHECK(unescape_json(R"(\udc00)") == "\xed\xb0\x80");
  CHECK(unescape_json(R"(\ud800\u0041)")
        == "\xed\xa0\x80"
           "A");
  CHECK(unescape_json(R"(\ud800\n)") == "\xed\xa0\x80\n");
  CHECK(unescape_json(R"(\udc00\ud800)") == "\xed\xb0\x80\xed\xa0\x80");
  CHECK(unescape_json(R"(\udc00\udc00)") == "\xed\xb0\x80\xed\xb0\x80");
  CHECK(unescape_json(R"(\ud800\ue000)") == "\xed\xa0\x80\xee\x80\x80");
  CHECK(holds_lone_surrogate("a\xed\xa0\x80"));
  CHECK(holds_lone_surrogate("\xed\xbf\xbf"));
  CHECK_FALSE(holds_lone_surrogate("\xed\x9f\xbf"));
  CHECK_FALSE(holds_lone_surrogate("\xf0\x9f\x98\x80"));
}
