#pragma once

#include "persistence/sql/dialect.hpp"
#include "schema/error.hpp"
#include "schema/limits.hpp"
#include "schema/time.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weir::sql {

class statement;

/// What a connection is for: it decides on time-outs and on what is allowed.
enum class purpose { migrating, writing, reading };

/// Where and how to connect. Made by `parse_url`.
struct address {
  dialect speaks;
  /// A file path, or a libpq connection string with our defaults added.
  std::string where;
};

/// Understands `sqlite:///absolute/path` and `postgresql://…`. Errors:
/// `ec::invalid_argument`, without the URL in the context (it may hold a
/// password).
expected<address> parse_url(std::string_view url);

/// One connection to the database, the only owner of SOCI's session. Every
/// exception of SOCI ends here or in `statement`. Not thread-safe.
///
/// After an error inside a transaction it executes nothing more until
/// `rollback`: PostgreSQL would turn a later COMMIT into a ROLLBACK and report
/// success, and SQLite would go on without a transaction.
class connection {
public:
  /// `allow_unsafe` accepts a PostgreSQL that does not flush its log.
  connection(address to, purpose use, bool allow_unsafe);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Connects and applies the settings of its purpose. Drops what was open.
  expected<void> open();
  void close() noexcept;

  expected<void> begin_writing();
  /// Ended by `rollback`.
  expected<void> begin_reading();
  /// Errors: `ec::in_doubt` when the answer to COMMIT was lost.
  expected<void> commit();
  void rollback() noexcept;

  /// Runs statements without parameters, several when separated by `;`.
  expected<void> script(const std::string& statements);
  /// The first column of the first row, as text; empty when there is none.
  expected<std::string> value(const std::string& query);

  /// How long a statement of a reading connection may take, from now on.
  /// PostgreSQL keeps the time itself, by the setting made at `open`.
  void limit_reading(milliseconds to) noexcept {
    reading_limit_ = to;
  }

  [[nodiscard]] const dialect& speaks() const noexcept {
    return to_.speaks;
  }
  [[nodiscard]] const address& to() const noexcept {
    return to_;
  }

  [[nodiscard]] bool in_transaction() const noexcept {
    return in_transaction_;
  }
  /// Changes with each transaction that is begun.
  [[nodiscard]] uint64_t transaction() const noexcept {
    return transactions_;
  }

  /// SOCI's objects, known only to this folder's connection and statement.
  struct parts;

private:
  friend class statement;

  expected<void> begin(std::string_view how);
  expected<void> open_sqlite();
  expected<void> open_postgresql();
  expected<void> check_durable();
  /// Whether a transaction is open that a COMMIT would really commit.
  [[nodiscard]] bool healthy() const noexcept;
  /// A statement begins: its time runs from now.
  void start_clock() noexcept;
  /// Asked by SQLite while a statement runs: whether its time is up.
  static int time_is_up(void* self) noexcept;
  /// Why nothing may be executed now, if so.
  expected<void> ready() const;

  address to_;
  purpose use_;
  bool allow_unsafe_;
  std::unique_ptr<parts> parts_;
  std::vector<statement*> statements_;
  milliseconds reading_limit_ = limits::read_statement_timeout;
  instant time_up_{};
  uint64_t transactions_ = 0;
  bool in_transaction_ = false;
  bool failed_ = false;
};

} // namespace weir::sql
