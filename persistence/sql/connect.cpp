#include "persistence/sql/location.hpp"
#include "persistence/sql/soci_parts.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

// How a connection is made: addresses, settings, and what is refused.
namespace weir::sql {

namespace {

constexpr std::string_view sqlite_scheme = "sqlite://";
/// How long a writer waits for another holder of the file.
constexpr int sqlite_busy_ms = 5'000;

/// Steps of SQLite's machine between two looks at the clock: a fraction of a
/// millisecond.
constexpr int sqlite_clock_steps = 10'000;

/// Before the first table; later these two change nothing. Pages of 8 KiB hold
/// several rows of a kilobyte and halve the pages that a batch writes.
constexpr const char* sqlite_at_creation = "PRAGMA page_size = 8192;"
                                           "PRAGMA auto_vacuum = INCREMENTAL;";

/// What a statement puts aside stays in memory: in a container nothing but the
/// data folder can be written to, and a statement has little to put aside.
constexpr const char* sqlite_settings = "PRAGMA journal_mode = WAL;"
                                        "PRAGMA synchronous = FULL;"
                                        "PRAGMA journal_size_limit = 16777216;"
                                        "PRAGMA temp_store = MEMORY;"
                                        "PRAGMA foreign_keys = ON;"
                                        "PRAGMA cell_size_check = ON;";

/// A stopped node must not hold others up for longer than these (rule 7).
constexpr const char* postgresql_writing
  = "SET idle_in_transaction_session_timeout = '3s';"
    "SET lock_timeout = '2s'; SET statement_timeout = '5s';";
static_assert(limits::batch_statement_timeout == std::chrono::seconds{5});
static_assert(limits::read_statement_timeout == std::chrono::seconds{5});
constexpr const char* postgresql_reading
  = "SET default_transaction_read_only = on; SET statement_timeout = '5s';"
    "SET idle_in_transaction_session_timeout = '5s';";
/// A migration may rewrite a table.
constexpr const char* postgresql_migrating = "SET lock_timeout = '30s';";

/// Added to the address unless it names them itself.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7>
  postgresql_defaults{{{"connect_timeout", "5"},
                       {"keepalives_idle", "5"},
                       {"keepalives_interval", "2"},
                       {"keepalives_count", "3"},
                       {"tcp_user_timeout", "10000"},
                       {"client_encoding", "UTF8"},
                       {"application_name", "weir"}}};

const char* postgresql_settings(purpose use) {
  switch (use) {
  case purpose::migrating: return postgresql_migrating;
  case purpose::writing: return postgresql_writing;
  case purpose::reading: break;
  }
  return postgresql_reading;
}

void drop_notices(void*, const PGresult*) {
}

/// A connection belongs to one thread at a time and nobody reads SQLite's
/// figures of its memory, so neither needs a lock around every call. Without
/// effect, and without harm, where SQLite is in use already.
void leave_out_locks() {
  static const int results[]
    = {sqlite_api::sqlite3_config(SQLITE_CONFIG_MULTITHREAD),
       sqlite_api::sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0)};
  static_cast<void>(results);
}

/// Makes the file for its owner only, or checks that it is. An existing file is
/// looked at without opening it: closing any descriptor of a file drops all
/// locks that this process holds on it, SQLite's own among them.
expected<void> check_file(const std::string& path, bool create) {
  if (create) {
    const int made
      = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made >= 0)
      ::close(made);
    else if (errno != EEXIST)
      return fail(ec::unavailable,
                  "database file: " + std::string{std::strerror(errno)});
  }
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    return fail(ec::unavailable,
                "database file: " + std::string{std::strerror(errno)});
  if (!S_ISREG(found.st_mode))
    return fail(ec::unavailable,
                S_ISDIR(found.st_mode) ? "database file: it is a folder"
                                       : "database file: it is no file");
  if ((found.st_mode & 077) != 0)
    return fail(ec::forbidden,
                "database file is open to others; run chmod 600");
  return ok();
}

} // namespace

expected<address> parse_url(std::string_view url) {
  if (url.starts_with(sqlite_scheme)) {
    const auto path = url.substr(sqlite_scheme.size());
    if (!path.starts_with('/') || path.find('"') != path.npos)
      return fail(ec::invalid_argument,
                  "storage url: sqlite:// needs an absolute path");
    return address{{false}, std::string{path}};
  }
  if (!url.starts_with("postgresql://") && !url.starts_with("postgres://"))
    return fail(ec::invalid_argument,
                "storage url: must begin with sqlite:// or postgresql://");
  std::string where{url};
  for (const auto& [key, value] : postgresql_defaults) {
    if (where.find(std::string{key} + "=") != where.npos)
      continue;
    where.push_back(where.find('?') == where.npos ? '?' : '&');
    where.append(key).append("=").append(value);
  }
  return address{{true}, std::move(where)};
}

expected<void> connection::open_sqlite() {
  leave_out_locks();
  WEIR_TRY(check_file(to_.where, use_ == purpose::migrating));
  auto made = std::make_unique<parts>();
  try {
    made->session.open(soci::sqlite3, "db=\"" + to_.where + "\"");
  } catch (const soci::soci_error& thrown) {
    return fail(ec::unavailable, "open: " + thrown.get_error_message());
  }
  parts_ = std::move(made);
  sqlite_api::sqlite3_busy_timeout(parts_->sqlite(), sqlite_busy_ms);
  sqlite_api::sqlite3_extended_result_codes(parts_->sqlite(), 1);
  if (use_ == purpose::migrating) {
    WEIR_TRY(script(sqlite_at_creation));
  }
  WEIR_TRY(script(sqlite_settings));
  if (use_ == purpose::reading) {
    WEIR_TRY(script("PRAGMA query_only = ON"));
    sqlite_api::sqlite3_progress_handler(parts_->sqlite(), sqlite_clock_steps,
                                         time_is_up, this);
  }
  WEIR_TRY(auto journal, value("PRAGMA journal_mode"));
  if (journal != "wal")
    return fail(ec::corrupt, "database file: no write-ahead log on this disk");
  return ok();
}

expected<void> connection::open_postgresql() {
  auto made = std::make_unique<parts>();
  try {
    made->session.open(soci::postgresql, to_.where);
  } catch (const soci::soci_error& thrown) {
    const auto why = connect_reason(thrown.get_error_message());
    return fail(ec::unavailable,
                "open: no connection to PostgreSQL"
                  + (why.empty() ? "" : ": " + why));
  }
  parts_ = std::move(made);
  PQsetNoticeProcessor(
    parts_->postgresql(), [](void*, const char*) {}, nullptr);
  PQsetNoticeReceiver(parts_->postgresql(), drop_notices, nullptr);
  PQsetErrorVerbosity(parts_->postgresql(), PQERRORS_TERSE);
  WEIR_TRY(script(postgresql_settings(use_)));
  WEIR_TRY(script("SET bytea_output = 'hex'"));
  return use_ == purpose::reading ? ok() : check_durable();
}

expected<void> connection::check_durable() {
  WEIR_TRY(auto encoding, value("SELECT current_setting('server_encoding')"));
  if (encoding != "UTF8")
    return fail(ec::corrupt, "database: its encoding must be UTF8");
  if (allow_unsafe_)
    return ok();
  for (const std::string setting : {"fsync", "full_page_writes"}) {
    WEIR_TRY(auto set, value("SELECT current_setting('" + setting + "')"));
    if (set != "on")
      return fail(ec::corrupt, "database: " + setting + " is off");
  }
  // Ours to decide for ourselves; stronger settings stay.
  WEIR_TRY(auto waits, value("SELECT current_setting('synchronous_commit')"));
  if (waits == "off" || waits == "local") {
    WEIR_TRY(script("SET synchronous_commit = on"));
  }
  return ok();
}

} // namespace weir::sql
