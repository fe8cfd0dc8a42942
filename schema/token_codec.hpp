#pragma once

#include "schema/positions.hpp"
#include "schema/token_keys.hpp"
#include "schema/token_refusal.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

/// What a stream token is good for.
enum class token_kind : uint8_t {
  /// Of a write: the slot and position of its commit. Whoever reads with it
  /// sees that write.
  bound = 1,
  /// Of a read: how far every slot was. A listing goes on behind it.
  cursor = 2,
};

/// Where the next page of a listing begins.
struct page_cursor {
  bool backwards = false;
  std::string last_key; ///< At most `limits::token_page_key_max` bytes.
  friend bool operator==(const page_cursor&, const page_cursor&) = default;
};

/// All that a stream token says.
struct token_content {
  token_kind kind = token_kind::bound;
  uint64_t principal = 0; ///< `token_hash` of whom it was given to.
  uint64_t filter = 0;    ///< Of a cursor: `token_hash` of what was listed.
  position_vector at;     ///< Of a bound: one slot.
  std::optional<page_cursor> page; ///< Of a cursor.
  friend bool operator==(const token_content&, const token_content&) = default;
};

/// What stands for a principal or a filter in a token.
uint64_t token_hash(std::string_view text);

/// Writes and reads the text of stream tokens: `wt1_` and base64url without
/// padding of the content (unsigned varints, slots ascending) and of the first
/// 16 bytes of its HMAC-SHA-256. Each content has one text and each text that
/// is taken is the one of its content. The form is told in
/// docs/stream-tokens.md.
///
/// It is the machinery: who may be given a token, and what a token allows, is
/// decided by persistence/tokens.hpp.
class token_codec {
public:
  explicit token_codec(token_keys keys) : keys_{std::move(keys)} {
  }

  /// The token of `content`, signed by the ring's first key. Errors:
  /// `ec::too_large` when it would be longer than `limits::token_chars_max`.
  [[nodiscard]] expected<std::string> seal(const token_content& content) const;

  /// What a token says. Refusals: `malformed`, `newer_version`, `not_ours`.
  [[nodiscard]] judged<token_content> open(std::string_view text) const;

private:
  token_keys keys_;
};

} // namespace weir
