#include "persistence/text_check.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace weir;

TEST_CASE("text_check: well-formed UTF-8 of every length passes") {
  for (const std::string text :
       {"", "plain", "exactly8", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
        "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80",
        "\xF4\x8F\xBF\xBF", "1234567\xC3\xA9", "\xF0\x9F\x90\x9F in front"})
    CHECK_MESSAGE(storable_as_text(text), text);
}

TEST_CASE("text_check: what is no UTF-8 is found wherever it stands") {
  for (const std::string broken :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41",
        "\xE0\x9F\xBF", "\xE0\xA0", "\xE0\xA0\x41", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF0\x90\x80", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "\xC2\xC2\x80"}) {
    for (size_t before = 0; before < 10; ++before) {
      const auto text = std::string(before, 'x') + broken;
      CHECK(!storable_as_text(text));
      CHECK(!storable_as_text(text + "and more behind"));
    }
  }
}

TEST_CASE("text_check: a zero byte is no text") {
  for (size_t before = 0; before < 10; ++before)
    CHECK(!storable_as_text(std::string(before, 'x') + std::string(1, '\0')));
}
