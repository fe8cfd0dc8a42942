#pragma once

#include "schema/token_codec.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

/// The text of a stream token as a request brought it. Nothing can be done
/// with it but to have it verified.
class raw_token {
public:
  explicit raw_token(std::string text) : text_{std::move(text)} {
  }

private:
  friend class token_authority;
  std::string text_;
};

/// A token that this server made, for whom presents it now. It says what a read
/// must be as new as; a bound and a cursor are alike in that. Made by
/// `token_authority` only.
class known_token {
public:
  [[nodiscard]] const position_vector& at() const noexcept {
    return content_.at;
  }

protected:
  friend class token_authority;
  explicit known_token(token_content content) : content_{std::move(content)} {
  }
  token_content content_;
};

/// A verified token of a read of the same listing with the same filter: a
/// listing can go on behind it.
class known_cursor : public known_token {
public:
  [[nodiscard]] const std::optional<page_cursor>& page() const noexcept {
    return content_.page;
  }

private:
  friend class token_authority;
  using known_token::known_token;
};

template <class View>
class caught_up_snapshot;

/// How far a read got: what its answer's token says. Made by
/// `caught_up_snapshot::token_after` only, so that the token and the rows of an
/// answer are of one snapshot.
class read_position {
public:
  [[nodiscard]] const position_vector& at() const noexcept {
    return at_;
  }

private:
  template <class View>
  friend class caught_up_snapshot;
  friend class token_authority;
  explicit read_position(position_vector at,
                         std::optional<page_cursor> page = {})
    : at_{std::move(at)},
      page_{std::move(page)} {
  }
  position_vector at_;
  std::optional<page_cursor> page_;
};

/// Whose tokens these are. A principal is a kind and a name, as in
/// `producer/realm-server`; a filter is the listing and all that chooses its
/// rows, spelt in one way.
struct token_owner {
  std::string_view principal;
  std::string_view filter;
};

/// Makes tokens and takes them back: the only holder of the keys. Thread-safe,
/// for it never changes.
class token_authority {
public:
  explicit token_authority(token_keys keys) : codec_{std::move(keys)} {
  }

  /// A token for `after`: of a write or of any read. Refusals: those of
  /// `token_codec::open`, and `other_principal`.
  [[nodiscard]] judged<known_token> verify(const raw_token& given,
                                           std::string_view principal) const;
  /// A token for `since` and `from`. Refusals: the same, `bound_as_cursor` and
  /// `other_filter`.
  [[nodiscard]] judged<known_cursor> verify_cursor(const raw_token& given,
                                                   token_owner by) const;

  /// The token of a write whose batch committed at `commit`. Errors: none in
  /// practice; `ec::too_large` as `cursor`.
  [[nodiscard]] expected<std::string> bound(const slot_position& commit,
                                            std::string_view principal) const;
  /// The token of a read. Errors: `ec::too_large` with more slots than fit.
  [[nodiscard]] expected<std::string> cursor(const read_position& read,
                                             token_owner to) const;

private:
  [[nodiscard]] judged<token_content> owned(const raw_token& given,
                                            std::string_view principal) const;
  token_codec codec_;
};

} // namespace weir
