#include "persistence/sql/connection.hpp"

#include "persistence/sql/soci_parts.hpp"
#include "persistence/sql/statement.hpp"

#include <algorithm>

namespace weir::sql {

namespace {

/// Frees what libpq hands out.
struct result_deleter {
  void operator()(PGresult* result) const noexcept {
    PQclear(result);
  }
};
using result_pointer = std::unique_ptr<PGresult, result_deleter>;

error sqlite_error(int result, std::string_view doing) {
  std::string context{doing};
  context.append(": ");
  if ((result & 0xFF) == SQLITE_FULL)
    context.append("disk full, ");
  return {class_of_sqlite(result),
          context + sqlite_api::sqlite3_errstr(result)};
}

error postgresql_error(PGconn* on, const PGresult* result,
                       std::string_view doing) {
  std::string context{doing};
  if (PQstatus(on) != CONNECTION_OK)
    return {ec::unavailable, context + ": connection lost"};
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string known = state == nullptr ? "" : state;
  const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  context.append(": ").append(known == "53100" ? "disk full, " : "");
  context.append(known).append(" ").append(primary == nullptr ? "" : primary);
  return {class_of_sqlstate(known), context};
}

} // namespace

connection::connection(address to, purpose use, bool allow_unsafe)
  : to_{std::move(to)},
    use_{use},
    allow_unsafe_{allow_unsafe} {
}

connection::~connection() {
  close();
}

expected<void> connection::open() {
  close();
  auto opened = speaks().postgresql ? open_postgresql() : open_sqlite();
  if (!opened)
    close();
  return opened;
}

void connection::close() noexcept {
  // SQLite does not close while a statement lives.
  for (auto* each : statements_)
    each->drop();
  parts_.reset();
  in_transaction_ = false;
  failed_ = false;
}

expected<void> connection::ready() const {
  if (!parts_)
    return fail(ec::unavailable, "no connection to the database");
  if (failed_)
    return fail(ec::rejected, "an earlier statement of this batch failed");
  return ok();
}

bool connection::healthy() const noexcept {
  if (!parts_ || !in_transaction_ || failed_)
    return false;
  return speaks().postgresql
    ? PQtransactionStatus(parts_->postgresql()) == PQTRANS_INTRANS
    : sqlite_api::sqlite3_get_autocommit(parts_->sqlite()) == 0;
}

void connection::start_clock() noexcept {
  if (use_ == purpose::reading)
    time_up_ = instant::clock::now() + reading_limit_;
}

int connection::time_is_up(void* self) noexcept {
  return instant::clock::now() >= static_cast<connection*>(self)->time_up_;
}

expected<void> connection::begin_writing() {
  return begin(speaks().begin_writing());
}

expected<void> connection::begin_reading() {
  return begin(speaks().begin_reading());
}

expected<void> connection::begin(std::string_view how) {
  WEIR_TRY(ready());
  WEIR_ASSERT(!in_transaction_);
  WEIR_TRY(script(std::string{how}));
  in_transaction_ = true;
  ++transactions_;
  return ok();
}

expected<void> connection::commit() {
  if (!healthy())
    return fail(parts_ ? ec::rejected : ec::unavailable,
                "commit: the transaction is broken or gone");
  if (speaks().postgresql) {
    auto* on = parts_->postgresql();
    const result_pointer result{PQexec(on, "COMMIT")};
    if (PQstatus(on) != CONNECTION_OK)
      return fail(ec::in_doubt, "commit: connection lost");
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK)
      return fail(postgresql_error(on, result.get(), "commit"));
    if (std::string_view{PQcmdStatus(result.get())} != "COMMIT")
      return fail(ec::rejected, "commit: the database rolled back");
  } else {
    const int result = sqlite_api::sqlite3_exec(parts_->sqlite(), "COMMIT",
                                                nullptr, nullptr, nullptr);
    // A failed flush may have left the commit in the log, to be found there
    // after a crash; a full disk or a lock did not get that far.
    if ((result & 0xFF) == SQLITE_IOERR)
      return fail(ec::in_doubt, sqlite_error(result, "commit").context);
    if (result != SQLITE_OK)
      return fail(sqlite_error(result, "commit"));
  }
  in_transaction_ = false;
  return ok();
}

void connection::rollback() noexcept {
  if (parts_ && speaks().postgresql) {
    auto* on = parts_->postgresql();
    if (PQtransactionStatus(on) != PQTRANS_IDLE) {
      const result_pointer result{PQexec(on, "ROLLBACK")};
      if (PQresultStatus(result.get()) != PGRES_COMMAND_OK)
        close();
    }
  } else if (parts_) {
    auto* on = parts_->sqlite();
    if (sqlite_api::sqlite3_get_autocommit(on) == 0
        && sqlite_api::sqlite3_exec(on, "ROLLBACK", nullptr, nullptr, nullptr)
          != SQLITE_OK)
      close();
  }
  in_transaction_ = false;
  failed_ = false;
}

expected<void> connection::script(const std::string& statements) {
  WEIR_TRY(ready());
  const auto failed = [this](error what) {
    failed_ = in_transaction_;
    return fail(std::move(what));
  };
  if (speaks().postgresql) {
    auto* on = parts_->postgresql();
    const result_pointer result{PQexec(on, statements.c_str())};
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
      return failed(postgresql_error(on, result.get(), "script"));
    return ok();
  }
  const int result = sqlite_api::sqlite3_exec(
    parts_->sqlite(), statements.c_str(), nullptr, nullptr, nullptr);
  if (result != SQLITE_OK)
    return failed(sqlite_error(result, "script"));
  return ok();
}

expected<std::string> connection::value(const std::string& query) {
  statement asked{*this, "value", query, "t"};
  WEIR_TRY(asked.run());
  WEIR_TRY(auto found, asked.next());
  std::string text = found ? asked.text(0) : std::string{};
  asked.done();
  return text;
}

} // namespace weir::sql
