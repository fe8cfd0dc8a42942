#pragma once

#include "persistence/sql/connection.hpp"
#include "schema/error.hpp"
#include "schema/time.hpp"

#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace soci {
class soci_error;
} // namespace soci

namespace weir::sql {

/// Bytes for a BLOB or BYTEA column; their parameter is written with
/// `dialect::bytes`.
struct raw_bytes {
  std::string_view view;
};

/// A prepared statement with parameter and result cells of its own. It is
/// prepared at its first use, kept alive, and prepared anew after its
/// connection was. Arguments of `run` are bound to the `:names` of the text in
/// the order in which those first appear.
class statement {
public:
  /// `doing` names it in errors; `columns` gives the type of each result
  /// column: `i` integer, `t` text, `b` bytes.
  statement(connection& on, std::string_view doing, std::string text,
            std::string_view columns = {});
  ~statement();
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;

  /// Executes. Rows are then got by `next`. The types of the arguments must be
  /// the same at each call. Errors: as `error_of`; `ec::rejected` for text that
  /// not every store can keep.
  template <class... Arguments>
  expected<void> run(const Arguments&... arguments) {
    size_t at = 0;
    (put(at++, arguments), ...);
    return execute(at);
  }

  /// Steps to the next row; false after the last.
  expected<bool> next();
  /// Gives up the rows that were not read.
  void done() noexcept;
  /// Rows that the last `run` inserted, changed or deleted.
  [[nodiscard]] uint64_t changed() const noexcept {
    return changed_;
  }

  // Columns of the row that `next` stepped to.
  [[nodiscard]] bool null(size_t column) const;
  [[nodiscard]] int64_t number(size_t column) const;
  [[nodiscard]] uint64_t count(size_t column) const {
    return static_cast<uint64_t>(number(column));
  }
  [[nodiscard]] stored_time when(size_t column) const {
    return {number(column)};
  }
  /// Text or bytes; empty for NULL. Moves the value out of the cell.
  [[nodiscard]] std::string text(size_t column);

  /// Forgets the prepared form, before its connection goes.
  void drop() noexcept;

private:
  struct prepared;
  struct cell {
    bool is_text = false;
    bool is_null = false;
    long long number = 0;
    std::string text;
  };

  template <std::integral Integer>
  void put(size_t at, Integer number) {
    set_number(at, static_cast<int64_t>(number));
  }
  void put(size_t at, stored_time when) {
    set_number(at, when.ms);
  }
  void put(size_t at, const std::string& text) {
    set_text(at, text);
  }
  void put(size_t at, std::string_view text) {
    set_text(at, text);
  }
  void put(size_t at, raw_bytes bytes);
  /// NULL when empty. The type counts even then.
  template <class T>
  void put(size_t at, const std::optional<T>& maybe) {
    put(at, maybe ? *maybe : T{});
    parameters_[at].is_null = !maybe;
  }

  void set_number(size_t at, int64_t number);
  void set_text(size_t at, std::string_view text);
  cell& parameter(size_t at);
  expected<void> execute(size_t arguments);
  void prepare();
  /// Notes that the transaction broke, and says why.
  error failed(const soci::soci_error& thrown);

  connection& on_;
  std::string doing_;
  std::string text_;
  std::string columns_;
  std::vector<std::string> names_;
  // Deques: SOCI keeps pointers to the cells.
  std::deque<cell> parameters_;
  std::deque<cell> results_;
  std::unique_ptr<prepared> prepared_;
  uint64_t changed_ = 0;
  bool text_fits_ = true;
};

} // namespace weir::sql
