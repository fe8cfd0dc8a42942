#pragma once

#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace bench {

/// A SQLite file set up as Weir sets up its own: the same pages, log and
/// durability. Any error ends the program, which loses nothing committed.
class database {
public:
  explicit database(const std::string& path);
  ~database();
  database(const database&) = delete;
  database& operator=(const database&) = delete;

  void run(const std::string& statements);

  [[nodiscard]] sqlite3* get() const noexcept {
    return on_;
  }

  /// Row id of the newest row of this connection.
  [[nodiscard]] int64_t last_row() const;

private:
  sqlite3* on_ = nullptr;
};

/// A column of bytes that are no text.
struct blob {
  std::string_view bytes;
};

/// A statement that is prepared once. Parameters are bound in order; texts must
/// live until it has run.
class statement {
public:
  statement(database& on, std::string_view text);
  ~statement();
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;

  /// Runs a statement without rows; answers how many rows it changed.
  template <class... Values>
  int run(const Values&... values) {
    begin(values...);
    next();
    return end();
  }

  /// Binds; the rows come by `next`.
  template <class... Values>
  void begin(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
  }
  bool next();
  int end();

  int64_t number(int column);
  std::string_view text(int column); ///< Good until the next `next`.

private:
  void bind(int at, int64_t number);
  void bind(int at, std::string_view text);
  void bind(int at, blob bytes);

  database& on_;
  sqlite3_stmt* made_ = nullptr;
};

/// A transaction that ends with its commit, or with the program.
class writing {
public:
  explicit writing(database& on);
  ~writing();
  writing(const writing&) = delete;
  writing& operator=(const writing&) = delete;

private:
  database& on_;
};

} // namespace bench
