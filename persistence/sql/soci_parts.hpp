#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/error_class.hpp"

#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

namespace weir::sql {

/// A live session with the native handles that SOCI does not wrap.
struct connection::parts {
  soci::session session;

  [[nodiscard]] PGconn* postgresql() {
    return static_cast<soci::postgresql_session_backend*>(session.get_backend())
      ->conn_;
  }
  [[nodiscard]] sqlite_api::sqlite3* sqlite() {
    return static_cast<soci::sqlite3_session_backend*>(session.get_backend())
      ->conn_;
  }
};

/// Turns what SOCI threw into an error. Never carries `what()`, which prints
/// bound values; the server is told to leave DETAIL out.
/// Errors: `ec::unavailable` when trying again may help, `ec::corrupt` when the
/// file is damaged, else `ec::rejected`.
error error_of(const soci::soci_error& thrown, std::string_view doing,
               connection::parts* of, const dialect& speaks);

} // namespace weir::sql
