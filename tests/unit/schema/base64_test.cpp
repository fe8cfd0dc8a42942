#include "schema/base64.hpp"

#include <doctest/doctest.h>

using namespace weir;

TEST_CASE("base64: as RFC 4648 has it") {
  CHECK(to_base64("").empty());
  CHECK(to_base64("f") == "Zg==");
  CHECK(to_base64("fo") == "Zm8=");
  CHECK(to_base64("foo") == "Zm9v");
  CHECK(to_base64("foobar") == "Zm9vYmFy");
  CHECK(to_base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("base64url: it gives the vectors of RFC 4648 without padding") {
  CHECK(to_base64url("") == "");
  CHECK(to_base64url("f") == "Zg");
  CHECK(to_base64url("fo") == "Zm8");
  CHECK(to_base64url("foo") == "Zm9v");
  CHECK(to_base64url("foob") == "Zm9vYg");
  CHECK(to_base64url("fooba") == "Zm9vYmE");
  CHECK(to_base64url("foobar") == "Zm9vYmFy");
  CHECK(to_base64url("\xfb\xff\xfe") == "-__-");
}

TEST_CASE("base64url: what was written is read again") {
  std::string bytes;
  for (int each = 0; each < 256; ++each) {
    bytes.push_back(static_cast<char>(each));
    CHECK(from_base64url(to_base64url(bytes)) == bytes);
  }
}

TEST_CASE("base64url: another alphabet, padding and space are refused") {
  for (const char* const text : {"-__+", "-_/-", "Zg==", "Zg=", "Zg ", " Zg",
                                 "Z\ng", "Zm9v.", "Zm\xc3\xa4"})
    CHECK_MESSAGE(!from_base64url(text), text);
}

TEST_CASE("base64url: a second spelling of a value is refused") {
  CHECK(from_base64url("Zg") == "f");
  for (const char* const text : {"Zh", "Zi", "Zv", "Zm9", "Z", "Zm9vY"})
    CHECK_MESSAGE(!from_base64url(text), text);
}
