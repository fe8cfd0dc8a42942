#pragma once

#include "schema/error.hpp"
#include "schema/limits.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace weir {

/// Checks that `text` is one JSON text of the RFC 8259 grammar: valid UTF-8, no
/// byte order mark, control characters in strings only as escapes, containers
/// nested at most `depth_max` deep (never more than `limits::json_depth_max`).
/// Takes what bytes that pass unchanged may hold and parsers refuse: numbers of
/// any size, escapes of lone surrogates, duplicate keys.
/// Errors: `ec::not_json` with the byte offset and what was expected there.
expected<void> check_json(std::string_view text,
                          size_t depth_max = limits::json_depth_max);

/// Goes forward through JSON text, checks all it passes by the rules of
/// `check_json`, and tells where values begin and end. Recursion-free for what
/// is passed whole. After a function has returned false, `failure()` says why
/// and nothing else may be called. Owns nothing: the text must outlive it.
class json_cursor {
public:
  explicit json_cursor(std::string_view text,
                       size_t depth_max = limits::json_depth_max) noexcept;

  /// The first byte of what comes next, after white space; 0 at the end.
  char peek() noexcept;

  /// Bytes passed so far.
  [[nodiscard]] size_t offset() const noexcept {
    return static_cast<size_t>(at_ - begin_);
  }

  /// Passes one value whole; `raw` is its bytes without white space around.
  [[nodiscard]] bool value(std::string_view& raw);

  /// Passes an object (`peek() == '{'`). For each member `each` gets the raw
  /// key without quotes, must pass the one value and return true, or false
  /// after a failure.
  template <class Each>
  [[nodiscard]] bool members(Each&& each) {
    return container('{', '}', [&] {
      std::string_view raw_key;
      return key(raw_key) && each(raw_key);
    });
  }

  /// Passes a list (`peek() == '['`). `each` must pass one value and return
  /// true, or false after a failure.
  template <class Each>
  [[nodiscard]] bool items(Each&& each) {
    return container('[', ']', each);
  }

  /// True if nothing but white space is left.
  [[nodiscard]] bool finish() noexcept;

  /// What was expected where.
  [[nodiscard]] error failure() const;

private:
  template <class Each>
  bool container(char first, char last, Each&& each) {
    if (!open(first))
      return false;
    if (close(last))
      return true;
    do {
      if (!each())
        return false;
    } while (comma());
    return close(last) || refuse_end(first == '{');
  }

  bool refuse(const char* wanted) noexcept;
  bool refuse_end(bool in_object) noexcept;
  void skip_space() noexcept;
  bool open(char first) noexcept;
  bool close(char last) noexcept;
  bool comma() noexcept;
  bool key(std::string_view& raw_key) noexcept;
  bool string() noexcept;
  bool escape() noexcept;
  bool wide_characters() noexcept;
  bool digits() noexcept;
  bool number() noexcept;
  bool literal(std::string_view word) noexcept;
  bool scalar() noexcept;
  bool pass() noexcept;
  bool begin_value(bool& complete) noexcept;
  bool end_value(size_t base, bool& complete) noexcept;

  const char* begin_;
  const char* at_;
  const char* end_;
  size_t depth_ = 0;
  size_t depth_max_;
  const char* wanted_ = nullptr;
  std::array<bool, limits::json_depth_max + 1> in_object_{};
};

} // namespace weir
