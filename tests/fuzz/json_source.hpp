#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace weir::test {

/// Writes random JSON texts and damages texts, the same for the same seed.
class json_source {
public:
  explicit json_source(uint64_t seed) : random_{seed} {
  }

  /// One JSON text of any kind, with random white space.
  std::string document();

  /// A transaction body with known and unknown keys, spelled in all ways.
  std::string transaction();

  /// `text` after one to three small changes: a byte flipped, put in or taken
  /// out, a piece repeated or cut, a token of the grammar put in.
  std::string damaged(std::string text);

private:
  /// A number below `bound`, which is > 0.
  size_t below(size_t bound);
  std::string_view one_of(std::string_view words, char separator = ' ');
  void space(std::string& to);
  void string(std::string& to);
  void value(std::string& to, size_t depth);
  void list(std::string& to, size_t depth);
  void object(std::string& to, size_t depth);
  void event(std::string& to);
  void damage(std::string& text);

  std::mt19937_64
    random_; // The same sequence everywhere, unlike distributions.
};

} // namespace weir::test
