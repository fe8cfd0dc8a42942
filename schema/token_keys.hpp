#pragma once

#include "schema/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A key that stream tokens are signed with.
struct token_key {
  uint32_t id = 0;    ///< > 0; a token names it.
  std::string secret; ///< Raw bytes.
};

/// The keys of stream tokens: the first signs, every one is good for tokens
/// that were made with it. A key is changed by putting a new one, with a new
/// id, before the old, and taking the old one out when its tokens may go.
class token_keys {
public:
  /// Reads a ring: a line a key, `ID` and 64 hex digits; empty lines and such
  /// that begin with `#` say nothing. Errors: `ec::invalid_argument`, whose
  /// context names the line and never shows it.
  static expected<token_keys> parse(std::string_view text);

  [[nodiscard]] const token_key& current() const noexcept {
    return keys_.front();
  }
  /// Null when there is no such key (any more).
  [[nodiscard]] const token_key* find(uint32_t id) const noexcept;

private:
  token_keys() = default;
  std::vector<token_key> keys_;
};

/// Reads the ring from a file that only its owner and group may read. Errors:
/// as `read_token_file` and `token_keys::parse`.
expected<token_keys> read_token_keys(const std::string& path);

/// As `read_token_keys`; when the file is missing, makes it with one new key,
/// mode 0600. Two processes that do so at once get the same key.
expected<token_keys> ensure_token_keys(const std::string& path);

} // namespace weir
