#include "persistence/sql/soci_parts.hpp"

namespace weir::sql {

namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

} // namespace

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
