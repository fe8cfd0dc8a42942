#pragma once

#include "schema/base64.hpp"
#include "schema/hash.hpp"
#include "schema/token_codec.hpp"

#include <initializer_list>
#include <random>
#include <string>

/// Keys, vectors and contents of stream tokens for tests.
namespace weir::test {

inline const std::string old_key_line = "1 " + std::string(64, 'a') + "\n";
inline const std::string new_key_line = "2 " + std::string(64, 'b') + "\n";

/// A ring of these lines, which must be one.
inline token_keys ring_of(const std::string& lines) {
  auto ring = token_keys::parse(lines);
  WEIR_ASSERT(ring.has_value());
  return ring.value();
}

inline token_codec sample_codec() {
  return token_codec{ring_of(old_key_line)};
}

/// The text of a body that `sample_codec` signed, whatever it holds.
inline std::string signed_text(std::string body) {
  const auto mac = hmac_sha256(std::string(32, '\xaa'), "wt1_" + body);
  return "wt1_" + to_base64url(body.append(mac, 0, 16));
}

inline position_vector
vector_of(std::initializer_list<slot_position> positions) {
  position_vector made;
  for (const auto& each : positions)
    made.raise(each);
  return made;
}

/// Draws vectors and contents of tokens, the same for the same seed.
class token_source {
public:
  explicit token_source(uint64_t seed) : random_{seed} {
  }

  /// A number whose length is drawn first, so that small ones come as often.
  uint64_t number(unsigned bits_max) {
    const auto bits = random_() % (bits_max + 1);
    return bits == 0 ? 0 : random_() >> (64 - bits);
  }

  /// At most `slots_max` slots out of twice as many, so that they overlap. The
  /// position of a slot decides its run, as it does in a store.
  position_vector vector(unsigned slots_max, uint64_t pos_max) {
    position_vector made;
    const auto slots = random_() % (slots_max + 1);
    for (uint64_t at = 0; at < slots; ++at) {
      const auto slot
        = static_cast<uint32_t>(1 + random_() % (2ULL * slots_max));
      const auto pos = random_() % (pos_max + 1);
      made.raise({slot, (pos + slot) * 0x9E3779B97F4AU, pos});
    }
    return made;
  }

  token_content content() {
    token_content made;
    made.principal = random_();
    if (random_() % 2 == 0) {
      made.at.raise(
        {static_cast<uint32_t>(1 + number(31)), number(48), 1 + number(62)});
      return made;
    }
    made.kind = token_kind::cursor;
    made.filter = random_();
    made.at = vector(8, uint64_t{1} << (random_() % 50));
    if (random_() % 2 == 0) {
      auto& page = made.page.emplace();
      page.backwards = random_() % 2 == 0;
      for (auto left = random_() % 40; left > 0; --left)
        page.last_key.push_back(static_cast<char>(random_()));
    }
    return made;
  }

private:
  std::mt19937_64 random_;
};

} // namespace weir::test
