#include "persistence/sql/soci_parts.hpp"

#include <array>

namespace weir::sql {

namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

} // namespace

ec class_of_sqlstate(std::string_view state) noexcept {
  // Classes of conditions that pass: lost connections, resources, a server that
  // shuts down, locks held by others, a server that has become a standby.
  static constexpr std::array passing{
    std::string_view{"08"},    std::string_view{"53"},
    std::string_view{"57P0"},  std::string_view{"58"},
    std::string_view{"40001"}, std::string_view{"40P01"},
    std::string_view{"55P03"}, std::string_view{"25P0"},
    std::string_view{"25006"}};
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

error error_of(const soci::soci_error& thrown, std::string_view doing,
               connection::parts* of, const dialect& speaks) {
  std::string context{doing};
  context.append(": ");
  if (speaks.postgresql) {
    if (of == nullptr || PQstatus(of->postgresql()) != CONNECTION_OK)
      return {ec::unavailable, context + "connection lost"};
    std::string state;
    if (const auto* known
        = dynamic_cast<const soci::postgresql_soci_error*>(&thrown))
      state = known->sqlstate();
    if (state == "53100")
      context.append("disk full, ");
    context.append(state).append(" ");
    return {class_of_sqlstate(state),
            context + first_line(thrown.get_error_message())};
  }
  int result = SQLITE_ERROR;
  if (const auto* known
      = dynamic_cast<const soci::sqlite3_soci_error*>(&thrown))
    result = known->result();
  if ((result & 0xFF) == SQLITE_FULL)
    context.append("disk full, ");
  return {class_of_sqlite(result),
          context + first_line(thrown.get_error_message())};
}

} // namespace weir::sql
