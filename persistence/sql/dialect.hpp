#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir::sql {

/// What differs between the two databases, in one place. Statements are written
/// once, from these pieces; only bulk inserts are written twice.
struct dialect {
  bool postgresql = false;

  [[nodiscard]] std::string_view name() const noexcept {
    return postgresql ? "postgresql" : "sqlite";
  }
  /// A parameter that holds arbitrary bytes (see `raw_bytes`).
  [[nodiscard]] std::string bytes(std::string_view parameter) const;
  /// Ends a SELECT that locks what it reads. SQLite has locked the file.
  [[nodiscard]] std::string_view for_update() const noexcept {
    return postgresql ? " FOR UPDATE" : "";
  }
  /// Milliseconds since 1970 by the database's clock, as it is now and not as
  /// it was when the transaction began.
  [[nodiscard]] std::string_view clock_ms() const noexcept;
  /// Begins a transaction that will write.
  [[nodiscard]] std::string_view begin_writing() const noexcept {
    return postgresql ? "BEGIN ISOLATION LEVEL READ COMMITTED"
                      : "BEGIN IMMEDIATE";
  }
  /// Begins a transaction all of whose statements see one commit. On SQLite the
  /// first of them chooses which.
  [[nodiscard]] std::string_view begin_reading() const noexcept {
    return postgresql ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
                      : "BEGIN";
  }
};

/// A 64-bit pattern as the signed integer that both databases store.
inline int64_t signed_pattern(uint64_t bits) noexcept {
  return static_cast<int64_t>(bits);
}

/// A count or position as a signed integer that keeps its order: what does not
/// fit is the largest, so that "up to the highest number" can be asked for.
inline int64_t as_count(uint64_t number) noexcept {
  return number > uint64_t{INT64_MAX} ? INT64_MAX
                                      : static_cast<int64_t>(number);
}

/// `\x` and two hex digits a byte: how PostgreSQL takes and gives BYTEA.
void append_bytea(std::string& to, std::string_view bytes);
/// The bytes of a BYTEA as it is read; what is no such text comes back empty.
std::string bytes_of_bytea(std::string_view text);

/// Builds an array literal for `unnest(CAST(:x AS bigint[]))` and its like.
class array_literal {
public:
  void clear();
  void add(int64_t number);
  void add_text(std::string_view text);
  void add_bytes(std::string_view bytes);
  /// The literal so far, closed. Call once, after the last `add`.
  const std::string& close();

private:
  void separate();
  std::string literal_ = "{";
};

/// A list of hashes as 8-byte big-endian words, and back.
std::string pack_words(std::span<const uint64_t> words);

} // namespace weir::sql
