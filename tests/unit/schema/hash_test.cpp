#include "schema/hash.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace weir;

TEST_CASE("hash: SHA-256 gives the digests of FIPS 180-2") {
  CHECK(sha256_hex("")
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc")
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex(std::string(1'000'000, 'a'))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("hash: the head is the first eight bytes, big endian") {
  CHECK(sha256_head("abc") == 0xba7816bf8f01cfeaU);
  CHECK(sha256_head("") == 0xe3b0c44298fc1c14U);
}

TEST_CASE("hash: HMAC gives the codes of RFC 4231") {
  CHECK(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There")
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hmac_sha256_hex("Jefe", "what do ya want for nothing?")
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(
    hmac_sha256_hex(std::string(131, '\xaa'),
                    "Test Using Larger Than Block-Size Key - Hash Key First")
    == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("hash: HMAC takes an empty key and an empty message") {
  CHECK(hmac_sha256_hex("", "")
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST_CASE("hash: constant-time equality agrees with plain equality") {
  CHECK(equal_in_constant_time("", ""));
  CHECK(equal_in_constant_time("token", "token"));
  CHECK_FALSE(equal_in_constant_time("token", "tokem"));
  CHECK_FALSE(equal_in_constant_time("token", "toke"));
  CHECK_FALSE(equal_in_constant_time("", "t"));
  CHECK_FALSE(
    equal_in_constant_time(std::string("a\0b", 3), std::string("a\0c", 3)));
}

TEST_CASE("hash: random hex has two lower-case digits a byte and differs") {
  const auto drawn = random_hex(16);
  CHECK(drawn.size() == 32);
  CHECK(drawn.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(drawn != random_hex(16));
  CHECK(random_hex(0).empty());
}
