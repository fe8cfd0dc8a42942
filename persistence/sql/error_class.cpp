#include "persistence/sql/error_class.hpp"

#include <sqlite3.h>

#include <array>

namespace weir::sql {

ec class_of_sqlstate(std::string_view state) noexcept {
  // Classes of conditions that pass: lost connections, resources, a server that
  // shuts down, locks held by others, a server that has become a standby, one
  // that is too slow: each statement is bounded, so that its time-out (57014)
  // says more of the server than of it.
  static constexpr std::array passing{
    std::string_view{"08"},    std::string_view{"53"},
    std::string_view{"57P0"},  std::string_view{"57014"},
    std::string_view{"58"},    std::string_view{"40001"},
    std::string_view{"40P01"}, std::string_view{"55P03"},
    std::string_view{"25P0"},  std::string_view{"25006"}};
  for (const auto prefix : passing) {
    if (state.starts_with(prefix))
      return ec::unavailable;
  }
  if (state == "XX001" || state == "XX002")
    return ec::corrupt;
  return ec::rejected;
}

ec class_of_sqlite(int result) noexcept {
  switch (result & 0xFF) {
  case SQLITE_FULL:
  case SQLITE_IOERR:
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
  case SQLITE_NOMEM:
  case SQLITE_CANTOPEN:
  case SQLITE_INTERRUPT:
  case SQLITE_READONLY:
  case SQLITE_PROTOCOL: return ec::unavailable;
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB: return ec::corrupt;
  default: return ec::rejected;
  }
}

} // namespace weir::sql
