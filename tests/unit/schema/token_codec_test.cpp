#include "schema/limits.hpp"
#include "schema/token_codec.hpp"
#include "tests/support/token_samples.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace weir;
using namespace weir::test;

namespace {

constexpr uint64_t some_run = 0x1A2B3C4D5E6F;

token_content sample_cursor() {
  token_content made;
  made.kind = token_kind::cursor;
  made.principal = token_hash("producer/realm-server");
  made.filter = token_hash("outcomes");
  made.at = vector_of({{1, some_run, 1'000}, {3, some_run + 1, 7}});
  return made;
}

token_content sample_bound() {
  token_content made;
  made.principal = token_hash("producer/realm-server");
  made.at = vector_of({{1, some_run, 1'000}});
  return made;
}

std::string sealed(const token_content& content,
                   const token_codec& by = sample_codec()) {
  const auto text = by.seal(content);
  REQUIRE(text);
  return text.value();
}

/// The refusal, or nothing when the token is taken.
std::optional<token_refusal>
refusal_of(std::string_view text, const token_codec& by = sample_codec()) {
  const auto opened = by.open(text);
  return opened ? std::nullopt : std::optional{opened.error()};
}

/// A body up to the positions: its kind, key 1, hashes of zeros.
std::string body_start(char mark) {
  return std::string{mark, 1} + std::string(mark == 1 ? 8 : 16, '\0');
}

std::string varint(uint64_t number) {
  std::string bytes;
  for (; number >= 128; number >>= 7U)
    bytes.push_back(static_cast<char>(number | 128));
  bytes.push_back(static_cast<char>(number));
  return bytes;
}

std::string position(uint64_t slot, uint64_t run, uint64_t pos) {
  return varint(slot) + varint(run) + varint(pos);
}

} // namespace

TEST_CASE("token: what was sealed is opened again") {
  const auto codec = sample_codec();
  token_source source{20'261'130};
  size_t cursors = 0;
  size_t pages = 0;
  for (int round = 0; round < 2'000; ++round) {
    const auto content = source.content();
    const auto text = sealed(content, codec);
    const auto opened = codec.open(text);
    REQUIRE_MESSAGE(opened.has_value(), text);
    CHECK(opened.value() == content);
    CHECK(text.size() <= limits::token_chars_max);
    cursors += content.kind == token_kind::cursor ? 1 : 0;
    pages += content.page ? 1 : 0;
  }
  CHECK(cursors > 500);
  CHECK(pages > 200);
}

TEST_CASE("token: the form of version 1 stays as it is") {
  CHECK(sealed(sample_bound())
        == "wt1_AQFrBUlFhZ1cCgHvvLXis8UG6Ad0hrhBlfCZEar_iW0VHVKO"
           "");
  auto content = sample_cursor();
  CHECK(sealed(content)
        == "wt1_AgFrBUlFhZ1cCrixQvqZToeUAgHvvLXis8UG6AcD8Ly14rPFBgeA3ld0"
           "dg0qwHo5FSx6ce0q");
  content.page = page_cursor{true, "last"};
  CHECK(sealed(content)
        == "wt1_AwFrBUlFhZ1cCrixQvqZToeUAgHvvLXis8UG6AcD8Ly14rPFBgcBBGxh"
           "c3QBthvL_6qawtW5Vn4jOH52");
}

TEST_CASE("token: it has the characters of a URL and one spelling") {
  const auto text = sealed(sample_cursor());
  CHECK(text.starts_with("wt1_"));
  CHECK(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs"
                               "tuvwxyz0123456789-_")
        == text.npos);
  for (const auto& other : {text + "=", text + "A", " " + text, text + "\n",
                            "WT1_" + text.substr(4), text.substr(4)})
    CHECK_MESSAGE(refusal_of(other) == token_refusal::malformed, other);
}

TEST_CASE("token: B-6 any bit that flips makes it none") {
  // With its last character the token of the page has bits that no byte needs.
  auto page = sample_cursor();
  page.page = page_cursor{true, "four5"};
  for (const auto& text :
       {sealed(sample_bound()), sealed(sample_cursor()), sealed(page)}) {
    for (size_t at = 0; at < text.size() * 8; ++at) {
      auto flipped = text;
      flipped[at / 8] = static_cast<char>(flipped[at / 8] ^ (1 << (at % 8)));
      const auto refusal = refusal_of(flipped);
      CAPTURE(flipped);
      REQUIRE(refusal);
      CHECK(answer_to(*refusal).status == 400);
      CHECK(answer_to(*refusal).errcode == "M_INVALID_PARAM");
    }
  }
}

TEST_CASE("token: any that is cut is none") {
  const auto text = sealed(sample_cursor());
  for (size_t size = 0; size < text.size(); ++size)
    CHECK(refusal_of(text.substr(0, size)));
}

TEST_CASE("token: B-25 a later version is told as one") {
  const auto rest = sealed(sample_cursor()).substr(4);
  for (const std::string version : {"wt2_", "wt9_", "wt10_", "wt4294967296_"})
    CHECK(refusal_of(version + rest) == token_refusal::newer_version);
  for (const std::string version : {"wt0_", "wt01_", "wt_", "wtx_", "wu2_"})
    CHECK(refusal_of(version + rest) == token_refusal::malformed);
  CHECK(answer_to(token_refusal::newer_version).status == 400);
}

TEST_CASE("token: B-29 with a new key old tokens are taken until it goes") {
  const token_codec before{ring_of(old_key_line)};
  const token_codec between{ring_of(new_key_line + old_key_line)};
  const token_codec after{ring_of(new_key_line)};
  const auto old_token = sealed(sample_cursor(), before);
  const auto new_token = sealed(sample_cursor(), between);
  CHECK(old_token != new_token);
  CHECK(!refusal_of(old_token, between));
  CHECK(!refusal_of(new_token, between));
  CHECK(!refusal_of(new_token, after));
  CHECK(refusal_of(old_token, after) == token_refusal::not_ours);
  CHECK(refusal_of(new_token, before) == token_refusal::not_ours);
}

TEST_CASE("token: another key of the same number is another key") {
  const token_codec other{ring_of("1 " + std::string(64, 'c'))};
  CHECK(refusal_of(sealed(sample_bound()), other) == token_refusal::not_ours);
}

TEST_CASE("token: a body that nobody signed is not looked into") {
  const auto body = body_start(2) + varint(0) + std::string(16, 'x');
  CHECK(refusal_of("wt1_" + to_base64url(body)) == token_refusal::not_ours);
}

TEST_CASE("token: a signed body of another form is none") {
  const std::string one = varint(1) + position(1, 7, 5);
  const auto two = [](uint64_t first, uint64_t second) {
    return varint(2) + position(first, 7, 5) + position(second, 7, 5);
  };
  CHECK(!refusal_of(signed_text(body_start(2) + varint(0))));
  CHECK(!refusal_of(signed_text(body_start(2) + one)));
  CHECK(!refusal_of(signed_text(body_start(2) + two(1, 2))));
  CHECK(!refusal_of(signed_text(body_start(1) + position(1, 7, 5))));
  CHECK(!refusal_of(signed_text(body_start(3) + one + '\0' + varint(0))));
  const std::string zero{'\0'};
  for (const auto& body : {
         body_start(2) + one + "x",                     // trailing bytes
         body_start(2) + two(2, 1),                     // unsorted
         body_start(2) + two(1, 1),                     // repeated
         body_start(2) + varint(2) + position(1, 7, 5), // too few
         body_start(2) + varint(1) + position(0, 7, 5), // slot 0
         body_start(2) + varint(1) + position(1, 7, 0), // position 0
         body_start(2) + varint(1)
           + position(uint64_t{1} << 32, 7, 5), // no slot
         body_start(2) + varint(1)
           + position(1, 7, uint64_t{1} << 63),             // no position
         body_start(2) + "\x81" + zero + position(1, 7, 5), // two spellings
         body_start(2) + varint(1) + varint(1) + std::string(9, '\xff') + "\x02"
           + varint(5), // 65 bits
         body_start(2) + varint(1) + varint(1) + std::string(10, '\xff')
           + "\x01" + varint(5),     // 71 bits
         body_start(2) + varint(65), // more slots than there are
         body_start(1),              // a bound to nothing
         body_start(1) + position(1, 7, 5) + position(2, 7, 5),
         body_start(1) + varint(1) + position(1, 7, 5),
         body_start(3) + one,                      // no page
         body_start(3) + one + "\x02" + varint(0), // no direction
         body_start(3) + one + zero + varint(3) + "ab",
         body_start(3) + one + zero + varint(129) + std::string(129, 'a'),
         body_start(0) + one, // no kind
         body_start(4) + one,
         std::string{"\x02\x01"},
       })
    CHECK_MESSAGE(refusal_of(signed_text(body)) == token_refusal::malformed,
                  to_base64url(body));
}

TEST_CASE("token: one that is too long is refused unread") {
  std::string positions;
  for (uint64_t slot = 1; slot <= 40; ++slot)
    positions += position(slot, some_run, INT64_MAX);
  const auto fits = body_start(2) + varint(40) + positions;
  CHECK(signed_text(fits).size() <= limits::token_chars_max);
  CHECK(!refusal_of(signed_text(fits)));
  for (uint64_t slot = 41; slot <= 64; ++slot)
    positions += position(slot, some_run, INT64_MAX);
  CHECK(refusal_of(signed_text(body_start(2) + varint(64) + positions))
        == token_refusal::malformed);
  CHECK(refusal_of(std::string(size_t{1} << 20, 'A'))
        == token_refusal::malformed);
}

TEST_CASE("token: eight slots with large positions take 200 characters") {
  auto content = sample_cursor();
  for (uint32_t slot = 1; slot <= 8; ++slot)
    content.at.raise({slot, (uint64_t{1} << 48) - 1, uint64_t{1} << 40});
  CHECK(sealed(content).size() == 200);
}

TEST_CASE("token: one that would be too long is not made") {
  auto content = sample_cursor();
  for (uint32_t slot = 1; slot <= 48; ++slot)
    content.at.raise({slot, (uint64_t{1} << 48) - 1, uint64_t{1} << 41});
  CHECK(sample_codec().seal(content));
  for (uint32_t slot = 1; slot <= limits::token_slots_max; ++slot)
    content.at.raise({slot, some_run, INT64_MAX});
  REQUIRE(!sample_codec().seal(content));
  CHECK(sample_codec().seal(content).error().code == ec::too_large);
  content = sample_cursor();
  for (uint32_t slot = 1; slot <= limits::token_slots_max + 1; ++slot)
    content.at.raise({slot, 1, 1'000});
  CHECK(!sample_codec().seal(content));
  content = sample_cursor();
  content.page = page_cursor{false, std::string(128, 'k')};
  CHECK(sample_codec().seal(content));
  content.page->last_key += 'k';
  CHECK(!sample_codec().seal(content));
}
